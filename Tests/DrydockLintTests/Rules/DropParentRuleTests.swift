import Drydock
import Testing

@testable import DrydockTestSupport

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
        LintCase("declared", "-- drydock: foreign-keys immediate\n" + rebuild, says: [.error]),
        LintCase("no action fails", schema: plain, rebuild, says: [.error], tool: .d1),
        LintCase(
            "no action, deferred", schema: plain, "PRAGMA defer_foreign_keys = ON;" + rebuild, tool: .d1),
        LintCase("no child", "DROP VIEW inbox; DROP TABLE email", tool: .d1),
        LintCase("the child goes first", "DROP VIEW inbox; DROP TABLE email; DROP TABLE account", tool: .d1),
        LintCase("declared", "-- drydock: deletes from email\n" + rebuild, tool: .d1),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.dropParentCascades) }

    private static func selfReferencing(_ action: String) -> String {
        "CREATE TABLE c(id INTEGER PRIMARY KEY, pa INTEGER REFERENCES c(id) \(action));"
    }
    private static func again(_ action: String, filled: Bool = true) -> String {
        "CREATE TABLE n(id INTEGER PRIMARY KEY, pa INTEGER REFERENCES c(id) \(action), note TEXT);"
            + (filled ? "INSERT INTO n(id, pa) SELECT id, pa FROM c;" : "")
            + "DROP TABLE c; ALTER TABLE n RENAME TO c;"
    }
    private static let family = """
        CREATE TABLE p(id INTEGER PRIMARY KEY);
        CREATE TABLE c(id INTEGER PRIMARY KEY, pa INTEGER REFERENCES p(id) ON DELETE CASCADE);
        """
    private static let both = """
        CREATE TABLE nc(id INTEGER PRIMARY KEY, pa INTEGER REFERENCES p(id) ON DELETE CASCADE, z INTEGER);
        INSERT INTO nc(id, pa) SELECT id, pa FROM c;
        DROP TABLE c; ALTER TABLE nc RENAME TO c;
        CREATE TABLE np(id INTEGER PRIMARY KEY, z INTEGER);
        INSERT INTO np(id) SELECT id FROM p;
        DROP TABLE p; ALTER TABLE np RENAME TO p;
        """

    @Test(arguments: [
        LintCase(
            "CASCADE to itself", schema: selfReferencing("ON DELETE CASCADE"), again("ON DELETE CASCADE"),
            says: [.error], tool: .d1),
        LintCase(
            "SET NULL to itself", schema: selfReferencing("ON DELETE SET NULL"), again("ON DELETE SET NULL"),
            says: [.error], tool: .d1),
        LintCase("to itself", schema: selfReferencing(""), again(""), says: [.error], tool: .d1),
        LintCase(
            "child, then parent", schema: family, both, says: [.error], tool: .d1),
    ]) func copiedRowsAreDeleted(_ it: LintCase) async throws {
        try await it.check(.dropParentCascades)
        let database = try PlainDatabase()
        try database.execute(
            it.steps[0]
                + (it.steps[0].contains("TABLE p(") ? "INSERT INTO p VALUES (1);" : "")
                + "INSERT INTO c VALUES (1, NULL), (2, 1), (3, 1); PRAGMA foreign_keys = ON; BEGIN;")
        do {
            try database.execute(it.steps[1])
            let kept = try database.rows("SELECT count(*) FROM c WHERE pa IS NOT NULL") { $0.integer(0) }
            #expect(kept == [0])
        } catch let failure as PlainDatabase.Failure {
            #expect(failure.description.contains("FOREIGN KEY"))
        }
    }

    @Test(arguments: [
        LintCase(
            "foreign keys off", schema: selfReferencing("ON DELETE CASCADE"), again("ON DELETE CASCADE")),
        LintCase(
            "an empty copy", schema: selfReferencing("ON DELETE CASCADE"),
            again("ON DELETE CASCADE", filled: false), tool: .d1),
        LintCase(
            "declared", schema: selfReferencing("ON DELETE CASCADE"),
            "-- drydock: deletes from c\n" + again("ON DELETE CASCADE"), tool: .d1),
        LintCase(
            "the copy references itself", schema: selfReferencing("ON DELETE CASCADE"),
            again("").replacing("REFERENCES c(", with: "REFERENCES n("), tool: .d1),
    ]) func copiedRowsAreKept(_ it: LintCase) async throws {
        try await it.check(.dropParentCascades)
    }

    @Test func theChildrenAreDeleted() throws {
        let database = try PlainDatabase()
        try database.execute(
            LintCase.mail + LintCase.rows + "PRAGMA foreign_keys = ON; BEGIN;" + Self.rebuild + "COMMIT")
        #expect(try database.rows("SELECT count(*) FROM email") { $0.integer(0) } == [0])
    }
}
