import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct RebuildRenamesFirstRuleTests {
    private static let rebuild = """
        ALTER TABLE account RENAME TO old_account;
        CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT COLLATE NOCASE);
        INSERT INTO account(id, email, name) SELECT id, email, name FROM old_account;
        DROP TABLE old_account;
        """

    @Test(arguments: [
        LintCase("a foreign key follows", rebuild, says: [.error]),
        LintCase(
            "legacy_alter_table, which keeps the names", "PRAGMA legacy_alter_table = ON;" + rebuild),
        LintCase(
            "the new one is renamed",
            """
            CREATE TABLE n(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT COLLATE NOCASE);
            INSERT INTO n(id, email, name) SELECT id, email, name FROM account;
            DROP TABLE account; ALTER TABLE n RENAME TO account;
            """),
        LintCase("a rename alone", "ALTER TABLE account RENAME TO person"),
        LintCase(
            "nobody references it",
            "ALTER TABLE log RENAME TO old_log; CREATE TABLE log(b); INSERT INTO log(b) SELECT a FROM old_log; DROP TABLE old_log"
        ).on("CREATE TABLE log(a);"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.rebuildRenamesFirst) }

    @Test func aFaultFixedLaterIsAWarning() async throws {
        let remedy = """
            CREATE TABLE n(id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account(id));
            INSERT INTO n(id, account_id) SELECT id, account_id FROM email;
            DROP VIEW inbox; DROP TABLE email; ALTER TABLE n RENAME TO email;
            """
        let it = LintCase("", Self.rebuild, remedy, says: [.warning])
        let finding = try #require(try await it.check(.rebuildRenamesFirst).first)
        #expect(finding.help.hasPrefix("A later migration fixes it."))
        // A severity set by the project stays.
        var strict = it
        strict.says = [.error]
        try await strict.check(.rebuildRenamesFirst) { $0.severities[.rebuildRenamesFirst] = .error }
    }

    @Test func theChildCannotBeWritten() throws {
        let database = try PlainDatabase()
        try database.execute(LintCase.mail + LintCase.rows)
        try database.execute("BEGIN;" + Self.rebuild + "COMMIT; PRAGMA foreign_keys = ON;")
        let error = #expect(throws: PlainDatabase.Failure.self) {
            try database.execute("INSERT INTO email(account_id) VALUES (1)")
        }
        #expect(error?.description.contains("no such table: main.old_account") == true)
    }
}

extension LintCase {
    /// Returns the same case on another schema.
    func on(_ schema: String) -> LintCase {
        var it = self
        it.steps[0] = schema
        return it
    }
}
