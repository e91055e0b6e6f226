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
    ]) func says(_ it: LintCase) async throws {
        try await it.check(.rebuildStricter)
        #expect(try it.failure(rows: Self.rows) != nil)
    }

    @Test(arguments: [
        rebuild("(id INTEGER PRIMARY KEY, a TEXT, b INTEGER)"),
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
}
