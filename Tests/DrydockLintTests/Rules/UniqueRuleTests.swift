import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct UniqueRuleTests {
    private static let mail = LintCase.mail

    private static func rebuild(_ columns: String, _ copy: String) -> String {
        """
        CREATE TABLE new_account(\(columns));
        \(copy);
        DROP TABLE account;
        ALTER TABLE new_account RENAME TO account;
        """
    }

    @Test(arguments: [
        LintCase("an index", "CREATE UNIQUE INDEX i ON email(subject)", says: [.warning]),
        LintCase(
            "without regard for case", "CREATE UNIQUE INDEX i ON email(subject COLLATE NOCASE)",
            says: [.warning]),
        LintCase(
            "a new column with one value",
            "ALTER TABLE email ADD COLUMN x DEFAULT 1; CREATE UNIQUE INDEX i ON email(x)",
            says: [.error]),
        LintCase(
            "a rebuild",
            rebuild(
                "id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT UNIQUE",
                "INSERT INTO new_account(id, email, name) SELECT id, email, name FROM account"),
            says: [.warning]),
        LintCase(
            "computed by CREATE TABLE AS",
            "CREATE TABLE n AS SELECT id, substr(email, 2) AS email FROM account; DROP TABLE account; ALTER TABLE n RENAME TO account; CREATE UNIQUE INDEX i ON account(email)",
            says: [.warning]),
    ]) func says(_ it: LintCase) async throws {
        try await it.check(.uniqueOverExisting)
        #expect(try it.failure()?.contains("UNIQUE constraint failed") == true)
    }

    @Test(arguments: [
        LintCase("not unique", "CREATE INDEX i ON email(subject)"),
        LintCase("a key", "CREATE UNIQUE INDEX i ON email(id, subject)"),
        LintCase("what is unique already", "CREATE UNIQUE INDEX i ON account(email, name)"),
        LintCase("a new column", "ALTER TABLE email ADD COLUMN x; CREATE UNIQUE INDEX i ON email(x)"),
        LintCase("a new table", "CREATE TABLE a(x); CREATE UNIQUE INDEX i ON a(x)"),
        LintCase(
            "a condition that no default meets",
            "ALTER TABLE email ADD COLUMN x NOT NULL DEFAULT 0; CREATE UNIQUE INDEX i ON email(account_id, x) WHERE x = 1"
        ),
        LintCase(
            "the same condition as before",
            schema: mail + "CREATE UNIQUE INDEX i ON account(name) WHERE email = '';",
            "DROP INDEX i;"
                + rebuild(
                    "id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT COLLATE NOCASE",
                    "INSERT INTO new_account(id, email, name) SELECT id, email, name FROM account")
                + "CREATE UNIQUE INDEX i ON account(name) WHERE email = '';"),
        LintCase(
            "a rebuild that keeps what was unique",
            rebuild(
                "id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT",
                "INSERT INTO new_account(id, email, name) SELECT id, email, name FROM account")
                + "CREATE UNIQUE INDEX account_email ON account(email);"),
        LintCase(
            "the same, by CREATE TABLE AS",
            "ALTER TABLE account RENAME TO o; CREATE TABLE account AS SELECT id, email, name FROM o; DROP TABLE o; CREATE UNIQUE INDEX i ON account(email)"
        ),
    ]) func isSilent(_ it: LintCase) async throws {
        try await it.check(.uniqueOverExisting)
        #expect(try it.failure() == nil)
    }

    @Test func uniqueInBinaryIsNotUniqueInNocase() async throws {
        try await LintCase("", "CREATE UNIQUE INDEX i ON account(email COLLATE NOCASE)", says: [.warning])
            .check(.uniqueOverExisting)
    }

    private static func narrower(
        _ old: String, _ new: String, _ copy: String, says: [Finding.Severity], before: String = ""
    ) -> LintCase {
        LintCase(
            "\(old) -> \(new), \(copy)", schema: "CREATE TABLE t(a TEXT, b TEXT, c TEXT, \(old));",
            before + "CREATE TABLE n(\(new)); \(copy); DROP TABLE t; ALTER TABLE n RENAME TO t;", says: says)
    }

    @Test(arguments: [
        narrower(
            "PRIMARY KEY (a, b)", "a TEXT PRIMARY KEY, b TEXT, c TEXT",
            "INSERT INTO n(a, b, c) SELECT a, b, c FROM t", says: [.warning]),
        narrower(
            "UNIQUE (a, b)", "a TEXT, b TEXT UNIQUE, c TEXT", "INSERT INTO n(a, b, c) SELECT a, b, c FROM t",
            says: [.warning]),
        narrower(
            "PRIMARY KEY (a, b)", "x TEXT PRIMARY KEY, c TEXT", "INSERT INTO n(x, c) SELECT a, c FROM t",
            says: [.warning]),
        narrower(
            "PRIMARY KEY (a, b)", "a TEXT PRIMARY KEY, b TEXT, c TEXT",
            "INSERT OR REPLACE INTO n SELECT * FROM t", says: [.error]),
        narrower(
            "UNIQUE (a, b)", "a TEXT UNIQUE, c TEXT",
            "INSERT INTO n(a, c) SELECT a, c FROM t WHERE true ON CONFLICT DO NOTHING", says: [.error]),
        narrower(
            "PRIMARY KEY (a, b)", "a TEXT PRIMARY KEY, b TEXT, c TEXT",
            "INSERT OR IGNORE INTO n SELECT * FROM t", says: [.warning],
            before: "-- drydock: deletes from t\n"),
        narrower(
            "PRIMARY KEY (a, b)", "a TEXT PRIMARY KEY, c TEXT",
            "INSERT INTO n(a, c) SELECT a, min(c) FROM t GROUP BY a", says: [.note]),
        narrower(
            "PRIMARY KEY (a, b)", "a TEXT, b TEXT, c TEXT, PRIMARY KEY (b, a)",
            "INSERT INTO n(a, b, c) SELECT a, b, c FROM t", says: []),
        narrower(
            "PRIMARY KEY (a, b)", "x TEXT, y TEXT, z TEXT, PRIMARY KEY (x, y)",
            "INSERT INTO n(x, y, z) SELECT a, b, c FROM t", says: []),
    ]) func aNarrowerKey(_ it: LintCase) async throws {
        let finding = try await it.check(.uniqueOverExisting).first
        if it.says != [], it.says != [.note] {
            #expect(finding?.message.contains(", and was over a, b before: ") == true)
        }
        guard it.says == [.error] else { return }
        let database = try PlainDatabase()
        try database.execute(
            it.steps[0] + "INSERT INTO t VALUES ('x', 'y', '1'), ('x', 'z', '2');" + it.steps[1])
        #expect(try database.rows("SELECT count(*) FROM t") { $0.integer(0) } == [1])
    }

    @Test func aCopyThatDropsDuplicatesIsReported() async throws {
        let it = LintCase(
            "",
            Self.rebuild(
                "id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT UNIQUE",
                "INSERT OR IGNORE INTO new_account(id, email, name) SELECT id, email, name FROM account"),
            says: [.warning])
        let finding = try #require(try await it.check(.uniqueOverExisting).first)
        #expect(finding.message.contains("silently drops the rest"))
        let upsert = LintCase(
            "",
            Self.rebuild(
                "id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT UNIQUE",
                "INSERT INTO new_account(id, email, name) SELECT id, email, name FROM account WHERE true ON CONFLICT DO NOTHING"
            ),
            says: [.warning])
        let other = try #require(try await upsert.check(.uniqueOverExisting).first)
        #expect(other.message.contains("silently drops the rest"))
        #expect(try upsert.failure() == nil)
    }

    @Test(arguments: [
        LintCase(
            "by UPDATE",
            "ALTER TABLE account ADD COLUMN x; UPDATE account SET x = 'user' || id; CREATE UNIQUE INDEX i ON account(x)",
            says: [.note]),
        LintCase(
            "by a rebuild",
            rebuild(
                "id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT, x TEXT",
                "INSERT INTO new_account(id, email, name, x) SELECT id, email, name, 'user' || id FROM account"
            )
                + "CREATE UNIQUE INDEX i ON account(x);", says: [.note]),
    ]) func fillingANewColumnLowersTheSeverity(_ it: LintCase) async throws {
        try await it.check(.uniqueOverExisting)
        #expect(try it.failure() == nil)
    }

    @Test func mergingInAnEarlierMigrationLowersTheSeverity() async throws {
        let merge =
            "DELETE FROM account WHERE EXISTS (SELECT 1 FROM account AS a WHERE a.name = account.name AND a.id < account.id)"
        let rebuild = Self.rebuild(
            "id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT UNIQUE",
            "INSERT INTO new_account(id, email, name) SELECT id, email, name FROM account")
        for step in [rebuild, "CREATE UNIQUE INDEX i ON account(name)"] {
            try await LintCase("", merge, step, says: [.note]).check(.uniqueOverExisting)
            // A DELETE of other rows does not merge duplicates.
            try await LintCase("", "DELETE FROM account WHERE id > 9", step, says: [.warning])
                .check(.uniqueOverExisting)
        }
    }

    @Test func mergingBeforehandLowersTheSeverity() async throws {
        try await LintCase(
            "",
            "DELETE FROM email WHERE id NOT IN (SELECT min(id) FROM email GROUP BY subject); CREATE UNIQUE INDEX i ON email(subject)",
            says: [.note]
        ).check(.uniqueOverExisting)
    }

    private static let e = "CREATE TABLE e(id INTEGER PRIMARY KEY, s TEXT, n INTEGER, body TEXT);"
    private static let alike = "INSERT INTO e(s, n) VALUES ('a', 1), ('a', 2)"

    @Test(arguments: [
        LintCase(
            "another column", schema: e, "UPDATE e SET body = ''; CREATE UNIQUE INDEX i ON e(s)",
            says: [.warning]),
        LintCase(
            "other rows", schema: e, "DELETE FROM e WHERE n = -5; CREATE UNIQUE INDEX i ON e(s)",
            says: [.warning]),
        LintCase(
            "one value for all", schema: e,
            "ALTER TABLE e ADD COLUMN x; UPDATE e SET x = 1; CREATE UNIQUE INDEX i ON e(x)",
            says: [.error]),
        LintCase(
            "created again, changed between", schema: e + "CREATE UNIQUE INDEX j ON e(s, n);",
            "DROP INDEX j; UPDATE e SET n = 1; CREATE UNIQUE INDEX j ON e(s, n)", says: [.warning]),
        LintCase(
            "copied", schema: e,
            "CREATE TABLE tag(name TEXT PRIMARY KEY); INSERT INTO tag(name) SELECT s FROM e",
            says: [.warning]),
        LintCase(
            "copied to where rows have no rowid", schema: e,
            "CREATE TABLE tag(name TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO tag SELECT s FROM e",
            says: [.warning]),
        LintCase(
            "one key for all", schema: e + "CREATE UNIQUE INDEX j ON e(s, n);", "UPDATE e SET s = 'x', n = 1",
            says: [.error]),
        LintCase(
            "computed by the table", schema: e,
            "CREATE TABLE t(id INTEGER PRIMARY KEY, s TEXT, n INTEGER, body TEXT, g TEXT AS (lower(s)) STORED UNIQUE); INSERT INTO t(id, s, n, body) SELECT id, s, n, body FROM e; DROP TABLE e; ALTER TABLE t RENAME TO e",
            says: [.warning]),
    ]) func statementsThatDoNotMerge(_ it: LintCase) async throws {
        try await it.check(.uniqueOverExisting)
        #expect(try it.failure(rows: Self.alike)?.contains("UNIQUE constraint failed") == true)
    }

    @Test(arguments: [
        LintCase(
            "each once", schema: e,
            "CREATE TABLE tag(name TEXT PRIMARY KEY); INSERT INTO tag(name) SELECT DISTINCT s FROM e"),
        LintCase(
            "ignored", schema: e,
            "CREATE TABLE tag(name TEXT PRIMARY KEY); INSERT OR IGNORE INTO tag(name) SELECT s FROM e"),
        LintCase(
            "a key", schema: e,
            "CREATE TABLE tag(e INTEGER PRIMARY KEY, s); INSERT INTO tag(e, s) SELECT id, s FROM e"),
        LintCase(
            "computed", schema: e,
            "CREATE TABLE tag(name TEXT PRIMARY KEY); INSERT INTO tag(name) SELECT s || id FROM e"),
        LintCase(
            "a condition on a new column", schema: e,
            "ALTER TABLE e ADD COLUMN x INTEGER NOT NULL DEFAULT 0; CREATE UNIQUE INDEX i ON e(s) WHERE x = 1"
        ),
        LintCase(
            "half a key for all", schema: e + "CREATE UNIQUE INDEX j ON e(s, n);", "UPDATE e SET s = 'x'"),
        LintCase("one row", schema: e + "CREATE UNIQUE INDEX j ON e(n);", "UPDATE e SET n = 9 WHERE id = 1"),
    ]) func valuesThatAreDistinct(_ it: LintCase) async throws {
        try await it.check(.uniqueOverExisting)
        #expect(try it.failure(rows: Self.alike) == nil)
    }
}
