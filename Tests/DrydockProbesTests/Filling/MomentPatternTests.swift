import DatabaseEngine
import Testing

@testable import DrydockTestSupport

/// Columns with dates or times that statements compare with a pattern.
@Suite struct MomentPatternTests {
    @Test(arguments: [
        ("timestamp TEXT NOT NULL", "timestamp LIKE '%T%'"), ("made_at TEXT", "made_at LIKE '%Z'"),
        ("d DATETIME", "d NOT LIKE '%T%'"), ("d TIMESTAMP", "d GLOB '*+00:00'"),
        ("at TEXT DEFAULT CURRENT_TIMESTAMP", "at LIKE '____-__-__'"),
        ("created TEXT", "created LIKE '% +0000 UTC'"),
    ])
    func `a value that matches is a date`(column: String, condition: String) async throws {
        let name = String(column.prefix { $0 != " " })
        let sample = RowCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, \(column));",
            later: "CREATE TABLE n AS SELECT id, CASE WHEN \(condition) THEN 1 ELSE 2 END AS x FROM t;")
        let outcome = try await sample.run(asking: [
            "SELECT \(name) FROM t WHERE datetime(substr(\(name), 1, 19)) IS NULL",
            "SELECT \(name) FROM t WHERE \(condition)", "SELECT \(name) FROM t WHERE NOT (\(condition))",
        ])
        #expect(outcome.faults.isEmpty)
        #expect(outcome.answers[0].isEmpty, "\(outcome.answers)")
        #expect(!outcome.answers[1].isEmpty && !outcome.answers[2].isEmpty, "\(outcome.answers)")
    }

    @Test func `other texts match a pattern as before`() async throws {
        let sample = RowCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);",
            later: "CREATE TABLE n AS SELECT id, CASE WHEN name LIKE '%T%' THEN 1 END AS x FROM t;")
        let outcome = try await sample.run(asking: ["SELECT name FROM t WHERE name LIKE '%T'"])
        #expect(outcome.answers == [["someT"]])
    }
}
