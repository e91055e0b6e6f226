import Drydock
import Testing

@Suite struct MinimumSQLiteRuleTests {
    @Test(arguments: [
        ("ALTER TABLE email DROP COLUMN body", "3.35"),
        ("ALTER TABLE account RENAME COLUMN name TO n", "3.25"),
        ("CREATE TABLE a(x INTEGER) STRICT", "3.37"), ("CREATE TABLE a(x, y AS (x))", "3.31"),
        ("INSERT INTO account(email) VALUES ('a') ON CONFLICT DO NOTHING", "3.24"),
        ("UPDATE email SET subject = name FROM account", "3.33"), ("DELETE FROM email RETURNING id", "3.35"),
        ("SELECT body ->> '$.a' FROM email", "3.38"), ("SELECT iif(1, 2, 3)", "3.32"),
        ("SELECT row_number() OVER (ORDER BY id) FROM email", "3.25"),
        ("SELECT count(*) FILTER (WHERE is_spam) FROM email", "3.30"),
        ("SELECT id FROM email ORDER BY id NULLS LAST", "3.30"), ("SELECT unixepoch()", "3.38"),
        ("SELECT 1 IS NOT DISTINCT FROM 2", "3.39"), ("UPDATE email SET is_spam = FALSE", "3.23"),
    ]) func knowsWhatCameWhen(_ sql: String, _ version: String) async throws {
        let minor = try #require(Int(version.dropFirst(2)))
        var it = LintCase(sql, sql, says: [.error])
        try await it.check(.minimumSQLite) { $0.minimumSQLite = SQLiteVersion("3.\(minor - 1)") }
        it.says = []
        try await it.check(.minimumSQLite) { $0.minimumSQLite = SQLiteVersion(version) }
        try await it.check(.minimumSQLite)
    }

    @Test(arguments: [
        "UPDATE email SET subject = (SELECT name FROM account)", "CREATE TABLE iif(x, format, over)",
        "SELECT 'RETURNING -> STRICT true' AS a", "CREATE TABLE a(x UNIQUE ON CONFLICT REPLACE)",
        "ALTER TABLE account RENAME TO \"true\"", "WITH log(x) AS (SELECT 1) SELECT x FROM log",
    ]) func readsWordsWhereTheyMeanIt(_ sql: String) async throws {
        try await LintCase(sql, sql).check(.minimumSQLite) { $0.minimumSQLite = SQLiteVersion("3.9") }
    }

    @Test(arguments: [("ios-15", 36), ("android-11", 28), ("debian-12", 40), ("3.24", 24), ("3.8.7.1", 8)])
    func versions(_ text: String, _ minor: Int) { #expect(SQLiteVersion(text)?.minor == minor) }

    @Test(arguments: ["", "3", "4.1", "ios", "3.x", "android-99"]) func noVersions(_ text: String) {
        #expect(SQLiteVersion(text) == nil)
    }
}
