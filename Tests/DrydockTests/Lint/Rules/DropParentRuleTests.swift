import Drydock
import Testing

@Suite struct DropParentRuleTests {
    private static let rebuild = """
        CREATE TABLE n(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT COLLATE NOCASE);
        INSERT INTO n(id, email, name) SELECT id, email, name FROM account;
        DROP TABLE account;
        ALTER TABLE n RENAME TO account;
        """
    private static let plain = """
        CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT COLLATE NOCASE);
        CREATE TABLE email(id INTEGER PRIMARY KEY, account_id INTEGER REFERENCES account(id));
        """

    @Test(arguments: [
        LintCase("foreign keys on", rebuild, says: [.error], tool: .d1),
        LintCase(
            "PRAGMA in the transaction", "PRAGMA foreign_keys = OFF;" + rebuild, says: [.error], tool: .d1),
        LintCase("foreign keys off", rebuild),
        LintCase("asked for", "-- drydock: foreign-keys immediate\n" + rebuild, says: [.error]),
        LintCase("no action fails", schema: plain, rebuild, says: [.error], tool: .d1),
        LintCase(
            "no action, deferred", schema: plain, "PRAGMA defer_foreign_keys = ON;" + rebuild, tool: .d1),
        LintCase("no child", "DROP VIEW inbox; DROP TABLE email", tool: .d1),
        LintCase("the child goes first", "DROP VIEW inbox; DROP TABLE email; DROP TABLE account", tool: .d1),
        LintCase("declared", "-- drydock: deletes from email\n" + rebuild, tool: .d1),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.dropParentCascades) }

    @Test func theChildrenGo() throws {
        let database = try PlainDatabase()
        try database.execute(
            LintCase.mail + LintCase.rows + "PRAGMA foreign_keys = ON; BEGIN;" + Self.rebuild + "COMMIT")
        #expect(try database.rows("SELECT count(*) FROM email") { $0.integer(0) } == [0])
    }
}
