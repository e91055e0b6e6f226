import DatabaseEngine
import Drydock
import Testing

@testable import DrydockTestSupport

/// Expressions that SQLite accepts when the schema changes, and refuses whenever a row is read or written.
@Suite struct ExpressionFailsRuleTests {
    private static let hook = "CREATE TABLE hook(id INTEGER PRIMARY KEY, n TEXT NOT NULL);"
    private static let rows = "INSERT INTO hook VALUES (1, 'a')"

    @Test(arguments: [
        LintCase(
            "a function", schema: hook, "ALTER TABLE hook ADD kind AS (nosuch(n))", says: [.error]),
        LintCase(
            "a function of a newer SQLite", schema: hook,
            "ALTER TABLE \"hook\" ADD COLUMN kind TEXT GENERATED ALWAYS AS (nosuch(n, 1, 2)) VIRTUAL",
            says: [.error]),
        LintCase(
            "a collation", schema: hook, "ALTER TABLE hook ADD k AS (n < 'b' COLLATE nosuch)", says: [.error]),
        LintCase("the clock", schema: hook, "ALTER TABLE hook ADD k AS (date('now'))", says: [.error]),
        LintCase(
            "one of two", schema: hook,
            "ALTER TABLE hook ADD a AS (nosuch(n)); ALTER TABLE hook ADD b AS (length(n))", says: [.error]),
    ]) func generatedColumns(_ it: LintCase) async throws {
        let finding = try #require(try await it.check(.expressionFails).first)
        #expect(finding.table == "hook" && finding.column != nil)
        #expect(try it.failure(rows: Self.rows) == nil)
        var read = it
        read.steps[1] += "; SELECT * FROM hook"
        #expect(try read.failure(rows: Self.rows) != nil)
    }

    @Test(arguments: [
        LintCase(
            "DEFAULT", schema: hook, "CREATE TABLE d(id INTEGER PRIMARY KEY, a DEFAULT (nosuch(1)));",
            says: [.error]),
        LintCase(
            "a CHECK of the clock", schema: hook,
            "CREATE TABLE d(id INTEGER PRIMARY KEY, a CHECK (a < date('now')));",
            says: [.error]),
        LintCase(
            "an index of a new table", schema: hook,
            "CREATE TABLE d(id INTEGER PRIMARY KEY, a TEXT); CREATE INDEX i ON d(date('now'));",
            says: [.error]),
        LintCase(
            "a partial index", schema: hook,
            "CREATE TABLE d(id INTEGER PRIMARY KEY, a TEXT); CREATE INDEX i ON d(a) WHERE a > datetime('now');",
            says: [.error]),
        LintCase(
            "WITHOUT ROWID", schema: hook,
            "CREATE TABLE d(id INTEGER PRIMARY KEY, a TEXT DEFAULT (nosuch())) WITHOUT ROWID;", says: [.error]
        ),
    ]) func expressionsOfWrittenRows(_ it: LintCase) async throws {
        try await it.check(.expressionFails)
        var write = it
        write.steps[1] += "INSERT INTO d(id) VALUES (1)"
        #expect(try write.failure(rows: Self.rows) != nil)
    }

    @Test(arguments: [
        LintCase(
            "a column", schema: hook, "ALTER TABLE hook ADD k AS (datetime(n, 'localtime'))", says: [.error]),
        LintCase(
            "a CHECK", schema: hook, "CREATE TABLE d(a CHECK (a IS NULL OR date(a, 'utc') > '2000'))",
            says: [.error]),
    ]) func expressionsThatOnlyAValueRefuses(_ it: LintCase) async throws {
        let finding = try #require(try await it.check(.expressionFails).first)
        #expect(finding.message.contains("from values such as '2024-02-03 04:05:06'"), "\(finding.message)")
    }

    @Test(arguments: [
        LintCase("functions", schema: hook, "ALTER TABLE hook ADD k AS (upper(n) || hex(id))"),
        LintCase(
            "JSON that is tested first", schema: hook,
            "ALTER TABLE hook ADD k AS (CASE WHEN json_valid(n) THEN json_extract(n, '$.a') END)"),
        LintCase(
            "JSON of a new table", schema: hook, "CREATE TABLE d(a TEXT, k AS (json_extract(a, '$.a')))"),
        LintCase(
            "a label that no row leaves out", schema: hook, "ALTER TABLE hook ADD k AS (json_object(n, 1))"),
        LintCase(
            "defaults", schema: hook,
            "CREATE TABLE d(a DEFAULT (datetime('now')), b DEFAULT CURRENT_TIME, c DEFAULT (random()), d DEFAULT ('x'))"
        ),
        LintCase(
            "a CHECK by the table's name", schema: hook,
            "CREATE TABLE \"a b\"(x, y AS (x + 1), z AS (y * 2) STORED, CHECK (\"a b\".x > 0), CHECK (x IS NOT NULL))"
        ),
        LintCase(
            "a table created again", schema: hook,
            "CREATE TABLE n(id INTEGER PRIMARY KEY, n TEXT NOT NULL, k AS (length(n))) STRICT".replacing(
                "k AS", with: "k INTEGER AS")),
        LintCase("a temporary table", schema: hook, "CREATE TEMP TABLE d(a DEFAULT (nosuch()))"),
    ]) func isSilent(_ it: LintCase) async throws { try await it.check(.expressionFails) }

    /// One row with other text makes the table unreadable.
    @Test(arguments: ["json_extract(n, '$.kind')", "n ->> '$.kind'", "json_type(n)"])
    func expressionsThatNeedJSON(_ expression: String) async throws {
        let it = LintCase(
            "", schema: Self.hook, "ALTER TABLE hook ADD k AS (\(expression))", says: [.warning])
        let finding = try #require(try await it.check(.expressionFails).first)
        #expect(finding.help.contains("CASE WHEN json_valid(n) THEN "))
        var read = it
        read.steps[1] += "; SELECT k FROM hook"
        #expect(try read.failure(rows: Self.rows) != nil)
        let remedy = finding.help.split(separator: "\n").last.map(String.init) ?? ""
        read.steps[1] = "ALTER TABLE hook ADD k AS (\(remedy)); SELECT k FROM hook"
        #expect(try read.failure(rows: Self.rows) == nil)
    }

    @Test func aFunctionOfTheAppHasAStandIn() async throws {
        let it = LintCase("", schema: Self.hook, "ALTER TABLE hook ADD k AS (slug(n))", says: [.error])
        let finding = try #require(try await it.check(.expressionFails).first)
        #expect(finding.help.contains("functions:\n    slug: {returns: null}"))
        var known = it
        known.says = []
        try await known.check(.expressionFails) {
            $0.migrations.functions = [
                FunctionStub(name: "slug", argumentCount: nil, result: .constant(.null))
            ]
        }
    }

    /// From hydra's 20251030: `if()` was added in SQLite 3.48.
    @Test func functionsOfANewerSQLite() async throws {
        let it = LintCase(
            "", schema: Self.hook, "ALTER TABLE hook ADD k AS (if(n = 'a', 1, 2))", says: [.error])
        let version = try PlainDatabase().rows("SELECT sqlite_version()") { $0.string(0) }[0]
        guard let here = SQLiteVersion(version), let since = SQLiteVersion("3.48"), here < since else {
            return
        }
        let finding = try #require(try await it.check(.expressionFails).first)
        #expect(finding.help.contains("if() came with SQLite 3.48, and this is \(version)"))
        // If the app's oldest SQLite has the function, its absence here is not an error.
        var newer = it
        newer.says = [.warning]
        try await newer.check(.expressionFails) { $0.minimumSQLite = SQLiteVersion("3.50") }
        for expression in ["if(n, 1, 2)", "\"if\"(n, 1, 2)", "[unhex](n)"] {
            let old = LintCase(
                "", schema: Self.hook, "ALTER TABLE hook ADD k AS (\(expression))", says: [.error])
            try await old.check(.minimumSQLite) { $0.minimumSQLite = SQLiteVersion("3.40") }
        }
    }

    /// A statement that is refused at once is a failed migration, without a word about the app's functions.
    @Test(arguments: [
        LintCase("a CHECK", schema: hook, "CREATE TABLE d(a CHECK (nosuch(a)))", says: [.error]),
        LintCase("an index", schema: hook, "CREATE INDEX i ON hook(nosuch(n))", says: [.error]),
        LintCase(
            "a partial index", schema: hook, "CREATE INDEX i ON hook(n) WHERE nosuch(n)", says: [.error]),
        LintCase("a query", schema: hook, "UPDATE hook SET n = nosuch(n)", says: [.error]),
    ]) func isRefusedAtOnce(_ it: LintCase) async throws { try await it.check(.migrationFailed) }

    @Test func aFaultFixedLaterIsAWarning() async throws {
        let it = LintCase(
            "", schema: Self.hook, "ALTER TABLE hook ADD k AS (nosuch(n))",
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE hook(id INTEGER PRIMARY KEY, n TEXT NOT NULL)' WHERE name = 'hook'",
            says: [.warning])
        try await it.check(.expressionFails)
    }

    @Test func definitionsWrittenIntoTheSchema() async throws {
        let it = LintCase(
            "", schema: Self.hook,
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE hook(id INTEGER PRIMARY KEY, n TEXT NOT NULL CHECK (nosuch(n)))' WHERE name = 'hook'",
            says: [.error])
        try await it.check(.expressionFails)
    }
}
