import Drydock
import Testing

@Suite struct RebuildStricterRuleTests {
    private static func rebuild(
        _ new: String, old: String = "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER)", _ item: String = "a",
        before: String = "", says: [Finding.Severity] = []
    ) -> LintCase {
        LintCase(
            new, schema: "CREATE TABLE t\(old);",
            "\(before) CREATE TABLE n\(new); INSERT INTO n(id, a, b) SELECT id, \(item), b FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t;",
            says: says)
    }

    private static let rows = "INSERT INTO t(a, b) VALUES (NULL, 9), ('x', 2)"

    @Test(arguments: [
        rebuild("(id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INTEGER)", says: [.warning]),
        rebuild("(id INTEGER PRIMARY KEY, a TEXT NOT NULL DEFAULT '', b INTEGER)", says: [.warning]),
        rebuild("(id INTEGER PRIMARY KEY, a TEXT, b INTEGER CHECK (b < 5))", says: [.warning]),
        rebuild("(id INTEGER PRIMARY KEY, a INTEGER, b INTEGER) STRICT", says: [.warning]),
        rebuild("(id INTEGER PRIMARY KEY, a TEXT, b INTEGER, c TEXT NOT NULL)", says: [.error]),
        rebuild("(id INTEGER PRIMARY KEY, a TEXT, b INTEGER, c TEXT NOT NULL DEFAULT NULL)", says: [.error]),
        rebuild(
            "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER, c TEXT, CHECK (a IS NOT NULL OR c IS NOT NULL))",
            says: [.warning]),
    ]) func says(_ it: LintCase) async throws {
        try await it.check(.rebuildStricter)
        #expect(try it.failure(rows: Self.rows) != nil)
    }

    @Test(arguments: [
        rebuild("(id INTEGER PRIMARY KEY, a TEXT, b INTEGER)"),
        rebuild("(id INTEGER PRIMARY KEY, a TEXT, b INTEGER, c TEXT NOT NULL DEFAULT '')"),
        rebuild("(id INTEGER PRIMARY KEY, a TEXT, b INTEGER, c TEXT NOT NULL AS (coalesce(a, '')))"),
        rebuild(
            "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER, c TEXT, CHECK (b IS NOT NULL OR c IS NOT NULL))",
            old: "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER NOT NULL)"),
        rebuild(
            "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER, c TEXT DEFAULT '', CHECK (a NOT NULL OR NOT (c ISNULL)))"
        ),
        rebuild(
            "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER, CHECK (a IS NULL OR a IS NOT NULL AND id IS NOT NULL))"
        ),
        rebuild("(id INTEGER PRIMARY KEY, a TEXT, b INTEGER) STRICT"),
        rebuild("(id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INTEGER)", "coalesce(a, '')"),
        rebuild(
            "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER CHECK (b IN (2, 9, 10)))",
            old: "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER CHECK (b IN (2, 9)))"),
        rebuild(
            "(id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INTEGER)",
            before: "UPDATE t SET a = '' WHERE a IS NULL;", says: [.note]),
    ]) func isSilent(_ it: LintCase) async throws {
        try await it.check(.rebuildStricter)
        #expect(try it.failure(rows: Self.rows) == nil)
    }

    @Test func rowsAreDroppedInSilence() async throws {
        let it = LintCase(
            "", schema: "CREATE TABLE t(a TEXT);",
            "CREATE TABLE n(a TEXT, c TEXT NOT NULL); INSERT OR IGNORE INTO n(a) SELECT a FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t",
            says: [.error])
        let message = try #require(try await it.check(.rebuildStricter).first).message
        #expect(message.contains("dropped in silence"))
        let database = try PlainDatabase()
        try database.execute(it.steps[0] + "INSERT INTO t VALUES ('a');" + it.steps[1])
        #expect(try database.rows("SELECT count(*) FROM t") { $0.integer(0) } == [0])
    }
}
