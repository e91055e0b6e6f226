import DatabaseEngine
import Drydock
import Foundation
import Testing

@testable import DrydockState
@testable import DrydockTestSupport

/// Every remedy that is printed for a damaged full-text index works, in a connection of its own.
@Suite struct FullTextRepairTests {
    private static let content = "CREATE TABLE doc(id INTEGER PRIMARY KEY, b);"
    private static let definitions = [
        "fts5(a, b UNINDEXED)", "fts5(b, content='doc', content_rowid='id', detail=none)",
        "fts5(b, content='', prefix='2')",
    ]
    private static let damages = [
        "DELETE FROM \"f 1_config\"", "UPDATE \"f 1_config\" SET v = 3",
        "DELETE FROM \"f 1_data\" WHERE id = 10", "DELETE FROM \"f 1_data\"",
        "UPDATE \"f 1_data\" SET block = x'ffffffffff' WHERE id = 10",
        "UPDATE \"f 1_data\" SET block = x'000000000102010102010100' WHERE id = 10",
        "DELETE FROM \"f 1_data\"; DELETE FROM \"f 1_config\"",
        "UPDATE \"f 1_data\" SET block = x'00' WHERE id > 10",
    ]

    private func make(_ definition: String) throws -> HealthCase {
        let it = try HealthCase(Self.content + "CREATE VIRTUAL TABLE \"f 1\" USING \(definition);")
        try it.execute("INSERT INTO doc VALUES (1, 'red apple'), (2, 'green pear')")
        try it.execute("INSERT INTO \"f 1\"(rowid, b) SELECT id, b FROM doc")
        if definition.contains("UNINDEXED") { try it.execute("UPDATE \"f 1\" SET a = b, b = NULL") }
        return it
    }

    /// Returns the statements in a remedy: each has a line of its own, or ends the only line.
    private func statements(_ help: String) -> String {
        let lines = help.split(separator: "\n")
        let own = lines.filter { $0.hasPrefix("  ") }
        return own.isEmpty
            ? help.firstRange(of: "INSERT").map { String(help[$0.lowerBound...]) } ?? "" : own.joined()
    }

    @Test(arguments: definitions, damages) func `the remedy fills the index again`(
        _ definition: String, _ damage: String
    )
        async throws
    {
        let it = try make(definition)
        #expect(try await it.findings("search-index-stale").isEmpty)
        try it.execute(damage)
        let found = try #require(try await it.findings("search-index-stale").first)
        #expect(found.table == "f 1" && found.severity == .error)
        try it.execute(statements(found.help))
        if found.help.contains("from there") {
            try it.execute("INSERT INTO \"f 1\"(rowid, b) SELECT id, b FROM doc")
        }
        #expect(try await it.report { $0.isDeep = true }.findings.filter { $0.severity == .error }.isEmpty)
        let rows = try PlainDatabase(it.path).literals("SELECT rowid FROM \"f 1\" WHERE \"f 1\" MATCH 'pear'")
        #expect(rows.count == 1)
    }

    @Test(arguments: definitions.prefix(2), ["f 1_config", "f 1_data", "f 1_idx"])
    func `an index with damaged pages is created again from its content`(
        _ definition: String, _ table: String
    )
        async throws
    {
        let it = try make(definition)
        try it.overwriteRoot(of: table)
        let found = try #require(try await it.findings("search-index-stale").first)
        #expect(found.help.contains("damaged"))
        try it.execute(statements(found.help))
        let rows = try PlainDatabase(it.path).literals(
            "SELECT rowid FROM \"f 1_new\" WHERE \"f 1_new\" MATCH 'pear'")
        #expect(rows.count == 1)
    }

    /// What SQLite opens is not to be emptied, and what it does not open cannot be rebuilt.
    @Test func `a record of segments is readable where SQLite reads it`() throws {
        let it = try make(Self.definitions[0])
        for number in 3..<40 {
            try it.execute("INSERT INTO \"f 1\"(rowid, a) VALUES (\(number), 'n\(number)')")
        }
        let database = try PlainDatabase(it.path)
        let whole = try #require(
            try database.firstRow("SELECT block FROM \"f 1_data\" WHERE id = 10") {
                $0.withBytes(0) { Array($0) }
            })
        #expect(whole.count > 12)
        var random = LinearGenerator(seed: 1)
        var counts = [true: 0, false: 0]
        for _ in 0..<400 {
            var record = whole
            record[4 + random.below(record.count - 4)] = UInt8(random.below(256))
            if random.below(4) == 0 { record.removeLast(random.below(record.count - 3)) }
            try it.execute(
                "UPDATE \"f 1_data\" SET block = x'\(record.map { String(format: "%02x", $0) }.joined())' WHERE id = 10"
            )
            let opens = (try? PlainDatabase(it.path).execute("SELECT rowid FROM \"f 1\" LIMIT 0")) != nil
            #expect(FullTextRepair.isReadable(record) == opens, "\(record)")
            counts[opens, default: 0] += 1
        }
        #expect(counts.values.allSatisfy { $0 > 20 }, "\(counts)")
    }
}
