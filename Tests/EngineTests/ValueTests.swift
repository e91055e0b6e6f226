import DatabaseEngine
import Testing

@Suite struct ValueTests {
    static let values: [SQLValue] = [
        .null, 0, 1, -1, .integer(.max), .integer(.min), 9_007_199_254_740_993,
        0.0, .real(-0.0), 1.0, 0.1, .real(0.1 + 0.2), .real(.infinity), .real(-.infinity),
        .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude), .real(-.leastNormalMagnitude),
        9_007_199_254_740_992.0,
        "", "a", "it's", "é", "e\u{301}", "🙂", "a\u{0}b", "\u{0}", .text([0xff, 0xfe]),
        .text([0xed, 0xa0, 0x80]),
        .text([0xc0, 0x80]), .text([0xe2, 0x82]), .text(Array(repeating: 97, count: 100_000)),
        .blob([]), .blob([0]), .blob([0xff, 0, 0xff]), .blob(Array("text".utf8)),
        .blob(Array(repeating: 0, count: 100_000)),
    ]

    @Test(arguments: Place.allCases) func valuesRoundTripExactly(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, v)")
        try await database.withConnection { connection in
            let insert = try connection.prepare("INSERT INTO t(v) VALUES (?)")
            for value in Self.values {
                try insert.reset(binding: [value])
                #expect(try !insert.step())
            }
        }
        let found = try await database.values("SELECT v FROM t ORDER BY id")
        #expect(found.map { $0[0] } == Self.values)
        // In one row, in a read transaction.
        let row = try await database.read { connection in
            let marks = Self.values.map { _ in "?" }.joined(separator: ", ")
            return try connection.firstRow("SELECT \(marks)", Self.values) { row in
                (0..<row.columnCount).map(row.value)
            }
        }
        #expect(row == Self.values)
        try await database.close()
    }

    @Test(arguments: Place.memory) func notANumberIsNULL(_ place: Place) async throws {
        let database = try await Site(place).open()
        let found = try await database.withConnection {
            try $0.firstRow("SELECT ?", [.real(.nan)]) { $0.value(0) }
        }
        #expect(found == .null)
    }

    @Test(arguments: Place.memory, ["UTF-16le", "UTF-16be"])
    func textOfAUTF16DatabaseIsNotConverted(_ place: Place, _ encoding: String) async throws {
        let database = try await Site(place).open { $0.setup = ["PRAGMA encoding = '\(encoding)'"] }
        try await database.execute("CREATE TABLE t(v); INSERT INTO t VALUES ('é')")
        // A value is fetched as it is stored: it is not converted to UTF-8.
        let bytes: [UInt8] = encoding == "UTF-16le" ? [0xe9, 0] : [0, 0xe9]
        #expect(try await database.value("SELECT v FROM t") == .text(bytes))
        #expect(
            try await database.withConnection { try $0.firstRow("SELECT v FROM t") { $0.string(0) } } == "é")
    }

    @Test func equalityComparesClassAndBits() {
        #expect(SQLValue.integer(1) != .real(1))
        #expect(SQLValue.real(0) != .real(-0.0))
        #expect(SQLValue.text([97]) != .blob([97]))
        #expect(SQLValue.text([]) != .null)
        #expect(SQLValue.real(.nan) == .real(.nan))
        #expect(Set(Self.values).count == Self.values.count)
    }

    @Test(arguments: Place.memory) func statementsAreReadByColumn(_ place: Place) async throws {
        let database = try await Site(place).open()
        try await database.withConnection { connection in
            let row = try connection.prepare("SELECT 7 AS seven, NULL, 'text' AS \"a b\", x'0102'")
            #expect(try row.step())
            #expect(row.columnCount == 4)
            #expect((0..<4).map(row.columnName) == ["seven", "NULL", "a b", "x'0102'"])
            #expect((row.integer(0), row.integer(1)) == (7, 0))
            #expect((row.isNull(0), row.isNull(1)) == (false, true))
            #expect((row.optionalString(1), row.optionalString(2)) == (nil, "text"))
            #expect(row.withBytes(3) { Array($0) } == [1, 2])
            #expect(try !row.step())
            // After the end, from the beginning again.
            try row.reset(binding: [])
            #expect(try row.step())
        }
    }

    @Test(arguments: Place.memory) func missingParametersAreNULL(_ place: Place) async throws {
        let database = try await Site(place).open()
        try await database.withConnection { connection in
            let statement = try connection.prepare("SELECT ?1, ?2")
            try statement.reset(binding: [1, 2])
            _ = try statement.step()
            try statement.reset(binding: [3])
            _ = try statement.step()
            #expect([statement.value(0), statement.value(1)] == [3, .null])
        }
    }
}
