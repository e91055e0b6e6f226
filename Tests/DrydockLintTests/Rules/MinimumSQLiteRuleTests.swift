import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct MinimumSQLiteRuleTests {
    /// Statements by the first version with everything that they use.
    private static let known: [(String, String)] = [
        ("ALTER TABLE email DROP COLUMN body", "3.35"),
        ("ALTER TABLE account RENAME COLUMN name TO n", "3.25"),
        ("ALTER TABLE account RENAME name TO n", "3.25"),
        ("CREATE TABLE a(x INTEGER) STRICT", "3.37"), ("CREATE TABLE a(x, y AS (x))", "3.31"),
        ("CREATE TABLE a(x PRIMARY KEY) WITHOUT ROWID", "3.8.2"), ("CREATE VIEW v(x) AS SELECT 1", "3.9"),
        ("INSERT INTO account(email) VALUES ('a') ON CONFLICT DO NOTHING", "3.24"),
        ("INSERT INTO account(email) VALUES ('a') ON CONFLICT(email) DO UPDATE SET name = 'b'", "3.24"),
        ("INSERT INTO account(email) VALUES ('a') ON CONFLICT DO UPDATE SET name = 'b'", "3.35"),
        (
            "INSERT INTO account(email) VALUES ('a') ON CONFLICT(email) DO NOTHING ON CONFLICT DO NOTHING",
            "3.35"
        ),
        ("INSERT INTO account AS a(email) VALUES ('a')", "3.24"),
        ("INSERT INTO account(email) VALUES ('a'), ('b')", "3.7.11"),
        ("UPDATE email SET subject = name FROM account", "3.33"), ("DELETE FROM email RETURNING id", "3.35"),
        ("UPDATE email SET (subject, body) = ('a', 'b')", "3.15"),
        ("SELECT id FROM email WHERE (id, subject) > (1, 'a')", "3.15"),
        ("SELECT body ->> '$.a' FROM email", "3.38"), ("SELECT iif(1, 2, 3)", "3.32"),
        ("SELECT row_number() OVER (ORDER BY id) FROM email", "3.25"),
        ("SELECT sum(id) OVER w FROM email WINDOW w AS (PARTITION BY subject)", "3.25"),
        ("SELECT sum(id) FILTER (WHERE is_spam) OVER (ORDER BY id) FROM email", "3.25"),
        ("SELECT sum(id) OVER (ORDER BY id GROUPS 1 PRECEDING) FROM email", "3.28"),
        ("SELECT sum(id) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM email", "3.28"),
        ("SELECT sum(id) OVER (ORDER BY id ROWS 1 PRECEDING EXCLUDE TIES) FROM email", "3.28"),
        ("SELECT sum(id) OVER (ORDER BY id RANGE 1 PRECEDING) FROM email", "3.28"),
        ("SELECT count(*) FILTER (WHERE is_spam) FROM email", "3.30"),
        ("SELECT id FROM email ORDER BY id NULLS LAST", "3.30"), ("SELECT unixepoch()", "3.38"),
        ("SELECT 1 IS NOT DISTINCT FROM 2", "3.39"), ("UPDATE email SET is_spam = FALSE", "3.23"),
        ("SELECT e.id FROM email e RIGHT JOIN account a ON floor(a.id) = e.id", "3.39"),
        ("SELECT e.id FROM email e JOIN account a ON floor(a.id) = e.id", "3.35"),
        ("SELECT sign(id) FROM email", "3.35"), ("SELECT name FROM sqlite_schema", "3.33"),
        ("SELECT name FROM pragma_table_info('email')", "3.16"),
        ("SELECT name FROM pragma_table_xinfo('email')", "3.26"),
        ("UPDATE email SET is_spam = 0x1", "3.8.6"), ("SELECT printf('%d', 1)", "3.8.3"),
        ("WITH q AS (SELECT 1 AS x) SELECT x FROM q", "3.8.3"),
        ("WITH q AS MATERIALIZED (SELECT 1 AS x) SELECT x FROM q", "3.35"),
        (
            "WITH RECURSIVE q(n) AS (SELECT 1 UNION SELECT n + 1 FROM q WHERE n < 3) SELECT n FROM q", "3.8.3"
        ),
        (
            "WITH RECURSIVE q(n) AS (SELECT 1 UNION SELECT n + 1 FROM q WHERE n < 3 UNION SELECT n + 2 FROM q WHERE n < 3) SELECT n FROM q",
            "3.34"
        ),
        ("CREATE VIRTUAL TABLE f USING fts5(x)", "3.9"),
        ("CREATE VIRTUAL TABLE f USING fts5(x, tokenize = 'trigram')", "3.34"),
        ("SELECT datetime(1, 'auto')", "3.38"), ("SELECT datetime(1, 'unixepoch')", "3.7"),
        ("SELECT strftime('%Y-%m', subject) FROM email", "3.7"),
        ("CREATE TABLE a(x CHAR(36))", "3.7"), ("SELECT json_array(1)", "3.9"),
        ("SELECT substring('abc', 1)", "3.34"),
    ]

    @Test(arguments: known) func knowsTheVersionOfEachFeature(_ sql: String, _ version: String) async throws {
        let at = try #require(SQLiteVersion(version))
        var it = LintCase(sql, sql)
        let findings = try await it.lint { $0.minimumSQLite = SQLiteVersion("3.0") }.report.findings
        let messages = findings.filter { $0.rule == .minimumSQLite }.map(\.message).joined(separator: "\n")
        #expect(messages.contains("SQLite \(at),") || version == "3.7", Comment(rawValue: messages))
        try await it.check(.minimumSQLite) { $0.minimumSQLite = at }
        guard let before = Self.before(at) else { return }
        it.says = version == "3.7" ? [] : [.error]
        try await it.check(.minimumSQLite) { $0.minimumSQLite = before }
    }

    /// Returns the previous version; nil where a statement may use more that an earlier version added.
    private static func before(_ version: SQLiteVersion) -> SQLiteVersion? {
        version.patch > 0
            ? SQLiteVersion("3.\(version.minor).\(version.patch - 1)")
            : SQLiteVersion("3.\(version.minor - 1)")
    }

    /// SQL for which this SQLite may be too old is recognised by its tokens.
    @Test(arguments: [
        ("SELECT concat('a', 'b')", "3.44"), ("SELECT string_agg(subject, ',') FROM email", "3.44"),
        ("SELECT jsonb('{}')", "3.45"), ("SELECT unhex('00')", "3.41"), ("SELECT octet_length('a')", "3.43"),
        ("SELECT group_concat(subject ORDER BY id) FROM email", "3.44"),
        ("SELECT strftime('%F', subject) FROM email", "3.44"), ("SELECT datetime(1, 'subsec')", "3.42"),
        ("SELECT iif(1, 2)", "3.48"), ("SELECT if(1, 2, 3)", "3.48"), ("SELECT unistr('a')", "3.50"),
        ("SELECT json_error_position('{}')", "3.42"), ("SELECT json_pretty('{}')", "3.46"),
    ]) func findsFeaturesInViews(_ sql: String, _ version: String) async throws {
        let at = try #require(SQLiteVersion(version))
        for (minimum, count) in [(SQLiteVersion("3.\(at.minor - 1)"), 1), (at, 0)] {
            let findings = try await LintCase("", "CREATE VIEW v AS " + sql).lint {
                $0.minimumSQLite = minimum
            }.report.findings
            // Where this SQLite does not parse the statement, that is reported instead.
            if findings.contains(where: { $0.rule == .migrationFailed }) { continue }
            #expect(findings.count { $0.rule == .minimumSQLite } == count, "\(findings.map(\.line))")
        }
    }

    @Test(arguments: [
        ("INSERT INTO account(email) VALUES (new.email) ON CONFLICT(email) DO NOTHING", "3.24"),
        ("INSERT INTO account(email) VALUES (new.email) ON CONFLICT DO UPDATE SET name = 'b'", "3.35"),
        ("UPDATE email SET subject = a.name FROM account a WHERE a.id = new.id", "3.33"),
        ("UPDATE email SET (subject, body) = (new.name, '') WHERE id = new.id", "3.15"),
        ("SELECT sum(id) OVER (ORDER BY id) FROM email", "3.25"),
        ("UPDATE email SET subject = iif(new.id, 'a', 'b')", "3.32"),
    ]) func readsTriggers(_ body: String, _ version: String) async throws {
        let minor = try #require(SQLiteVersion(version)).minor
        let sql = "CREATE TRIGGER t AFTER UPDATE ON account BEGIN DELETE FROM email WHERE 0; \(body); END"
        var it = LintCase(body, sql, says: [.error])
        try await it.check(.minimumSQLite) { $0.minimumSQLite = SQLiteVersion("3.\(minor - 1)") }
        it.says = []
        try await it.check(.minimumSQLite) { $0.minimumSQLite = SQLiteVersion(version) }
    }

    @Test(arguments: [
        "UPDATE email SET subject = (SELECT name FROM account)", "CREATE TABLE iif(x, format, over)",
        "SELECT 'RETURNING -> STRICT true' AS a", "CREATE TABLE a(x UNIQUE ON CONFLICT REPLACE)",
        "ALTER TABLE account RENAME TO \"true\"", "WITH log(x) AS (SELECT 1) SELECT x FROM log",
        "WITH a(x) AS (SELECT 1), format(x) AS (SELECT 2) SELECT x FROM format",
        "CREATE TABLE sign(a, b, PRIMARY KEY (a, b), UNIQUE (b, a)); CREATE INDEX i ON sign(a, b)",
        "INSERT INTO account(email, name) SELECT subject, body FROM email WHERE id IN (1, 2)",
        "CREATE TABLE a(x, groups TEXT, exclude TEXT, range INTEGER, window INTEGER, filter TEXT)",
        "CREATE TABLE a(x CHAR(36) CHECK (x IN (1, 2)), y DEFAULT (1))",
        "CREATE TRIGGER t AFTER UPDATE ON account BEGIN SELECT RAISE(ABORT, 'no'); END",
        "SELECT strftime('%Y', 'now'), 'auto', 'floor'", "CREATE VIEW v AS SELECT 1 AS x, 2 AS sqlite_schema",
    ]) func distinguishesKeywordsFromNames(_ sql: String) async throws {
        try await LintCase(sql, sql).check(.minimumSQLite) { $0.minimumSQLite = SQLiteVersion("3.9") }
    }

    @Test(arguments: [("ios-15", 36), ("android-11", 28), ("debian-12", 40), ("3.24", 24), ("3.8.7.1", 8)])
    func versions(_ text: String, _ minor: Int) { #expect(SQLiteVersion(text)?.minor == minor) }

    @Test(arguments: ["", "3", "4.1", "ios", "3.x", "android-99"]) func invalidVersions(_ text: String) {
        #expect(SQLiteVersion(text) == nil)
    }
}
