import DatabaseEngine
import TestTools
import SQLiteSchema
import Testing

@testable import DrydockDiff
@testable import DrydockFindings
@testable import DrydockTestSupport

/// Checks that values written as SQL are read back unchanged.
@Suite struct LiteralTests {
    @Test func `reals are read back bit for bit`() throws {
        let database = try PlainDatabase()
        var random = SeededGenerator(seed: 7)
        var values: [Double] = [
            0, -0.0, 1, 0.1, 1e22, 1e23, 1.7e308, .leastNonzeroMagnitude, .leastNormalMagnitude, .infinity,
            -.infinity,
            1_700_000_000.1234567, 0x1p53, 0x1p63, -9_223_372_036_854_775_808, .greatestFiniteMagnitude, .pi,
        ]
        for _ in 0..<(isSoak ? 100_000 : 300) {
            let value = Double(bitPattern: random.next())
            if value.isFinite { values.append(value) }
            values.append((Double(random.below(1_000_000_000)) / 1000))
        }
        for value in values {
            var text: [UInt8] = []
            SQLValue.real(value).writeLiteral(.utf8, to: &text)
            let read = try database.firstRow("SELECT " + String(decoding: text, as: UTF8.self)) {
                $0.value(0)
            }
            #expect(read == .real(value), "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"]) func `text is read back byte for byte`(_ name: String)
        throws
    {
        let database = try PlainDatabase()
        try database.execute("PRAGMA encoding = '\(name)'; CREATE TABLE t(a)")
        let encoding = try #require(TextEncoding(rawValue: name))
        for expression in [
            "'it''s'", "''", "'a' || char(0) || 'b'", "char(13, 10)", "char(65279, 66)",
            "char(233, 128512, 65534)",
        ] {
            try database.execute("DELETE FROM t; INSERT INTO t VALUES (\(expression))")
            let value = try #require(try database.firstRow("SELECT a FROM t") { $0.value(0) })
            var text: [UInt8] = []
            value.writeLiteral(encoding, to: &text)
            try database.execute(
                "DELETE FROM t; INSERT INTO t VALUES (\(String(decoding: text, as: UTF8.self)))")
            #expect(try database.firstRow("SELECT a FROM t") { $0.value(0) } == value, "\(expression)")
        }
    }
}
