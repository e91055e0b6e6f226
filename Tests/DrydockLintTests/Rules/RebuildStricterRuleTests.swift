import Drydock
import Testing

@testable import DrydockTestSupport

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
        rebuild(
            "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER) STRICT",
            old: "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER) STRICT"),
        rebuild(
            "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER CHECK (b > 0))",
            old: "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER CHECK (b > 1))"),
        rebuild("(id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INTEGER)", "coalesce(a, b, '')"),
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

    @Test func rowsAreDroppedSilently() async throws {
        let it = LintCase(
            "", schema: "CREATE TABLE t(a TEXT);",
            "CREATE TABLE n(a TEXT, c TEXT NOT NULL); INSERT OR IGNORE INTO n(a) SELECT a FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t",
            says: [.error])
        let message = try #require(try await it.check(.rebuildStricter).first).message
        #expect(message.contains("silently dropped"))
        let database = try PlainDatabase()
        try database.execute(it.steps[0] + "INSERT INTO t VALUES ('a');" + it.steps[1])
        #expect(try database.rows("SELECT count(*) FROM t") { $0.integer(0) } == [0])
    }

    private static let bad = "INSERT INTO t(a, b) VALUES ('a', 'abc'), ('', 2), (NULL, NULL)"
    private static let base = "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER)"
    private static let filled = "(id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INTEGER)"

    @Test(arguments: [
        rebuild("(id INTEGER PRIMARY KEY, a TEXT, b INTEGER) STRICT", says: [.warning]),
        rebuild(filled, "coalesce(a, NULL)", says: [.warning]),
        rebuild(filled, "ifnull(a, b)", says: [.warning]),
        rebuild(filled, "nullif(coalesce(a, ''), '')", says: [.warning]),
        rebuild(filled, "CASE WHEN a = 'a' THEN 'b' END", says: [.warning]),
        rebuild(filled, "t.a || 'x'", says: [.warning]),
        rebuild(filled, "(SELECT max(x) FROM (SELECT 1 AS x WHERE 0))", says: [.warning]),
        rebuild(filled, "NULL", says: [.error]),
        rebuild(
            "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER, z INTEGER DEFAULT 0 CHECK (z > 0))", says: [.error]),
        rebuild(
            "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER, g INTEGER NOT NULL AS (b + 1))", says: [.warning]),
        rebuild(
            "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER CHECK (b > 1))",
            old: "(id INTEGER PRIMARY KEY, a TEXT, b INTEGER CHECK (b > 0 OR b IS NULL))", says: [.warning]),
    ]) func oneValueIsEnough(_ it: LintCase) async throws {
        try await it.check(.rebuildStricter)
        let rows = it.steps[0].contains("b > 0") ? "INSERT INTO t(b) VALUES (1)" : Self.bad
        #expect(try it.failure(rows: rows) != nil)
    }

    @Test func textsAreNotConvertedToIntegerKeys() async throws {
        let it = LintCase(
            "", schema: "CREATE TABLE t(a TEXT PRIMARY KEY);",
            "-- drydock: rewrites t.a\nCREATE TABLE n(a INTEGER PRIMARY KEY); INSERT INTO n(a) SELECT a FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t;",
            says: [.warning])
        try await it.check(.rebuildStricter)
        #expect(try it.failure(rows: "INSERT INTO t VALUES ('x')")?.contains("datatype mismatch") == true)
    }

    private static func referencing(_ key: String, _ tool: LintCase.Tool, says: [Finding.Severity] = [])
        -> LintCase
    {
        LintCase(
            key,
            schema:
                "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(id INTEGER PRIMARY KEY, pa INTEGER);",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, pa INTEGER \(key)); INSERT INTO n(id, pa) SELECT id, pa FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t;",
            says: says, tool: tool)
    }

    @Test(arguments: [
        referencing("REFERENCES p(id)", .grdb, says: [.warning]),
        referencing("REFERENCES p(id)", .d1, says: [.warning]),
        referencing("", .d1),
    ]) func aNewForeignKey(_ it: LintCase) async throws { try await it.check(.rebuildStricter) }

    private static let source = "CREATE TABLE t(id INTEGER PRIMARY KEY, s TEXT, n INTEGER NOT NULL);"

    @Test(arguments: [
        LintCase(
            "a table of its own", schema: source,
            "CREATE TABLE tag(name TEXT NOT NULL); INSERT INTO tag(name) SELECT s FROM t", says: [.warning]),
        LintCase(
            "one that is there", schema: source + "CREATE TABLE tag(name TEXT NOT NULL);",
            "INSERT INTO tag(name) SELECT s FROM t", says: [.warning]),
    ]) func aCopyIntoAnotherTable(_ it: LintCase) async throws {
        try await it.check(.rebuildStricter)
        #expect(try it.failure(rows: "INSERT INTO t(n) VALUES (1)")?.contains("NOT NULL") == true)
    }

    @Test(arguments: [
        LintCase(
            "filled", schema: source,
            "CREATE TABLE tag(name TEXT NOT NULL); INSERT INTO tag(name) SELECT coalesce(s, '') FROM t"),
        LintCase(
            "never NULL", schema: source,
            "CREATE TABLE tag(name TEXT NOT NULL); INSERT INTO tag(name) SELECT n FROM t"),
        LintCase(
            "ignored", schema: source,
            "CREATE TABLE tag(name TEXT NOT NULL); INSERT OR IGNORE INTO tag(name) SELECT s FROM t"),
        LintCase(
            "left out", schema: source,
            "CREATE TABLE tag(name TEXT NOT NULL); INSERT INTO tag(name) SELECT s FROM t WHERE s IS NOT NULL"),
        LintCase(
            "left out by another name", schema: source,
            "CREATE TABLE tag(name TEXT NOT NULL); INSERT INTO tag(name) SELECT x.s FROM t AS x WHERE x.s IS NOT NULL",
            says: [.note]),
    ]) func acceptedCopies(_ it: LintCase) async throws {
        try await it.check(.rebuildStricter)
        #expect(try it.failure(rows: "INSERT INTO t(n) VALUES (1)") == nil)
    }
}
