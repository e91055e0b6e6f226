import Drydock
import Testing

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

    @Test func aCopyThatDropsDoublesSaysSo() async throws {
        let it = LintCase(
            "",
            Self.rebuild(
                "id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT UNIQUE",
                "INSERT OR IGNORE INTO new_account(id, email, name) SELECT id, email, name FROM account"),
            says: [.warning])
        let finding = try #require(try await it.check(.uniqueOverExisting).first)
        #expect(finding.message.contains("drops the others in silence"))
        let upsert = LintCase(
            "",
            Self.rebuild(
                "id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT UNIQUE",
                "INSERT INTO new_account(id, email, name) SELECT id, email, name FROM account WHERE true ON CONFLICT DO NOTHING"
            ),
            says: [.warning])
        let other = try #require(try await upsert.check(.uniqueOverExisting).first)
        #expect(other.message.contains("drops the others in silence"))
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
    ]) func whoFillsANewColumnIsToldLess(_ it: LintCase) async throws {
        try await it.check(.uniqueOverExisting)
        #expect(try it.failure() == nil)
    }

    @Test func whoHasMergedInAnotherMigrationIsToldLess() async throws {
        let merge =
            "DELETE FROM account WHERE EXISTS (SELECT 1 FROM account AS a WHERE a.name = account.name AND a.id < account.id)"
        let rebuild = Self.rebuild(
            "id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT UNIQUE",
            "INSERT INTO new_account(id, email, name) SELECT id, email, name FROM account")
        for step in [rebuild, "CREATE UNIQUE INDEX i ON account(name)"] {
            try await LintCase("", merge, step, says: [.note]).check(.uniqueOverExisting)
            // A DELETE of other rows is no merge.
            try await LintCase("", "DELETE FROM account WHERE id > 9", step, says: [.warning])
                .check(.uniqueOverExisting)
        }
    }

    @Test func whoMergesBeforeIsToldLess() async throws {
        try await LintCase(
            "",
            "DELETE FROM email WHERE id NOT IN (SELECT min(id) FROM email GROUP BY subject); CREATE UNIQUE INDEX i ON email(subject)",
            says: [.note]
        ).check(.uniqueOverExisting)
    }
}
