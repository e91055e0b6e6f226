import Testing

@testable import DrydockMigrations
@testable import DrydockTestSupport

struct HistoryQueryTests {
    private static let cases: [(String, Set<String>)] = [
        ("SELECT name FROM done", ["done"]),
        (
            "SELECT name FROM \"the history\" h JOIN main.batch b ON b.id = h.batch ORDER BY 1",
            ["the history", "batch"]
        ),
        ("SELECT a.name FROM a, b AS x WHERE x.id = a.id", ["a", "b"]),
        ("WITH n(v) AS (SELECT max(id) FROM done) SELECT name FROM done, n WHERE id <= v", ["done"]),
        ("SELECT name FROM a WHERE id IN (SELECT id FROM (SELECT * FROM b))", ["a", "b"]),
        ("PRAGMA user_version", []),
    ]

    @Test(arguments: cases) func `the tables that a query reads`(_ sql: String, _ tables: Set<String>) {
        #expect(Set(HistoryQuery(sql: sql).tables).subtracting(["n"]) == tables)
    }
}
