import DatabaseEngine
import SQLiteSchema
import Testing

@testable import DrydockProbes
@testable import DrydockReplay
@testable import DrydockTestSupport
@testable import DrydockVerify

struct RowReductionTests {
    private static func rows(_ numbers: [Int64]) -> [GeneratedRow] {
        numbers.map {
            GeneratedRow(table: "t\($0 % 3)", columns: ["a", "b"], values: [.integer($0), "text"])
        }
    }

    private static func numbers(_ rows: [GeneratedRow]) -> Set<Int64> {
        Set(
            rows.compactMap { row -> Int64? in
                guard let place = row.columns.firstIndex(of: "a"),
                    case .integer(let number) = row.values[place]
                else { return nil }
                return number
            })
    }

    @Test(arguments: [[7], [3, 4], [1, 29], [0, 15, 30], Array(0...9)] as [[Int64]])
    func `exactly the rows that are needed remain`(_ needed: [Int64]) async throws {
        var reduction = RowReduction(Self.rows(Array(0...30)), limit: 2000) {
            Self.numbers($0).isSuperset(of: needed)
        }
        #expect(try await reduction.run())
        #expect(Self.numbers(reduction.rows) == Set(needed) && reduction.isFinished)
        // The other column is not needed.
        #expect(reduction.rows.allSatisfy { $0.columns == ["a"] })
    }

    @Test func `an empty list is enough where no row is needed`() async throws {
        var reduction = RowReduction(Self.rows(Array(0...30)), limit: 10) { _ in true }
        #expect(try await reduction.run())
        #expect(reduction.rows.isEmpty)
    }

    @Test func `rows that do not show it are refused`() async throws {
        var reduction = RowReduction(Self.rows([1, 2]), limit: 10) { _ in false }
        #expect(try await !reduction.run())
    }

    @Test func `the limit is kept, and said`() async throws {
        var runs = 0
        var reduction = RowReduction(Self.rows(Array(0...30)), limit: 5) {
            runs += 1
            return Self.numbers($0).contains(17)
        }
        #expect(try await reduction.run())
        #expect(runs == 5 && reduction.runs == 5 && !reduction.isFinished)
        #expect(Self.numbers(reduction.rows).contains(17))
    }

    private static let tree = """
        CREATE TABLE a(id INTEGER PRIMARY KEY, n TEXT);
        CREATE TABLE b(id INTEGER PRIMARY KEY, a INTEGER NOT NULL REFERENCES a(id));
        CREATE TABLE c(id INTEGER PRIMARY KEY, b INTEGER NOT NULL REFERENCES b);
        CREATE TABLE d(id INTEGER PRIMARY KEY, c INTEGER NOT NULL REFERENCES c(id));
        CREATE TABLE x(id INTEGER PRIMARY KEY, y INTEGER NOT NULL REFERENCES y(id));
        CREATE TABLE y(id INTEGER PRIMARY KEY, x INTEGER NOT NULL REFERENCES x(id));
        """

    /// Returns five rows of each table, and whether none of some rows refers to one that is missing.
    private static func family() -> (rows: [GeneratedRow], isWhole: ([GeneratedRow]) -> Bool) {
        let parents = ["b": "a", "c": "b", "d": "c", "x": "y", "y": "x"]
        let bases: [String: Int64] = ["a": 10, "b": 20, "c": 30, "d": 40, "x": 50, "y": 60]
        var rows: [GeneratedRow] = []
        for table in ["a", "b", "c", "d", "x", "y"] {
            for number in 0..<5 {
                let parent = parents[table]
                rows.append(
                    GeneratedRow(
                        table: table, columns: ["id", parent ?? "n"],
                        values: [
                            .integer((bases[table] ?? 0) + Int64(number)),
                            parent.map { .integer((bases[$0] ?? 0) + Int64(number)) } ?? "t",
                        ]))
            }
        }
        return (
            rows,
            { rows in
                let keys = Set(rows.compactMap { row in row.columns.first == "id" ? row.values[0] : nil })
                return rows.allSatisfy { row in
                    guard parents[row.table] != nil else { return true }
                    return row.columns.count == 2 && keys.contains(row.values[1])
                }
            }
        )
    }

    @Test(arguments: ["a", "d", "x"]) func `a row with all that it refers to is found at once`(table: String)
        async throws
    {
        let (rows, isWhole) = Self.family()
        let schema = try SchemaParser().schema(of: SQLSource(name: "", Self.tree))
        var reduction = RowReduction(rows, limit: 60, links: RowLinks(schema, focus: table)) { rows in
            isWhole(rows) && rows.contains { $0.table == table }
        }
        #expect(try await reduction.run())
        #expect(reduction.rows.count == ["a": 1, "d": 4, "x": 2][table])
        #expect(reduction.isFinished && reduction.runs < 40, "\(reduction.runs)")
    }

    /// Its value would be another one each time that the row is inserted.
    @Test(arguments: ["hex(randomblob(4))", "random() % 7"])
    func `a column with a random default is not left out`(value: String) async throws {
        let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, r DEFAULT (\(value)), d DEFAULT (1 + 1), e);"
        let schema = try SchemaParser().schema(of: SQLSource(name: "", sql))
        let rows = (1...5).map { number in
            GeneratedRow(
                table: "t", columns: ["id", "R", "d", "e"],
                values: [.integer(number), .integer(number), .integer(1), .integer(number)])
        }
        for allowsOrphans in [false, true] {
            let links = RowLinks(schema, focus: "t", allowsOrphans: allowsOrphans)
            var reduction = RowReduction(rows, limit: 60, links: links) { !$0.isEmpty }
            #expect(try await reduction.run())
            #expect(reduction.rows.map(\.columns) == [["R"]])
        }
    }

    @Test func `a row in the middle takes what refers to it along`() async throws {
        let (rows, isWhole) = Self.family()
        let schema = try SchemaParser().schema(of: SQLSource(name: "", Self.tree))
        var reduction = RowReduction(rows, limit: 60, links: RowLinks(schema, focus: "d")) { rows in
            let ids = Set(rows.filter { $0.table == "d" }.map { $0.values[0] })
            return isWhole(rows) && ids.isSuperset(of: [.integer(41), .integer(43)])
        }
        #expect(try await reduction.run())
        #expect(reduction.rows.count == 8, "\(reduction.rows.count) after \(reduction.runs)")
    }

    @Test func `columns of a wide table go by halves`() async throws {
        let row = GeneratedRow(
            table: "wide", columns: (0..<500).map { "c\($0)" },
            values: (0..<500).map { SQLValue("value \($0)") })
        var reduction = RowReduction([row, row, row], limit: 60) { rows in
            rows.count > 1 && rows.allSatisfy { $0.columns.contains("c17") && $0.columns.contains("c401") }
        }
        #expect(try await reduction.run())
        #expect(reduction.rows.map(\.columns) == [["c17", "c401"], ["c17", "c401"]], "\(reduction.runs)")
    }

    @Test func `values that are not needed go together, and the others become simple`() async throws {
        let row = GeneratedRow(
            table: "t", columns: ["id", "name", "note", "size"],
            values: [.integer(4711), "a long name", "a long note", .integer(1)])
        var reduction = RowReduction([row, row], limit: 100) { rows in
            rows.contains { $0.columns.contains("name") }
        }
        #expect(try await reduction.run())
        #expect(reduction.rows == [GeneratedRow(table: "t", columns: ["name"], values: ["a"])])
        #expect(reduction.isFinished && reduction.runs < 20)
    }
}
