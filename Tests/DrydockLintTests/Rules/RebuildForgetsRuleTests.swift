import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct RebuildForgetsRuleTests {
    private static let copy = """
        UPDATE sqlite_sequence SET seq = seq WHERE name = 'n';
        INSERT INTO n(id, account_id, subject, body, is_spam) SELECT id, account_id, subject, body, is_spam FROM email;
        DROP VIEW inbox; DROP TABLE email; ALTER TABLE n RENAME TO email;
        """
    private static let definition = """
        CREATE TABLE n(
          id INTEGER PRIMARY KEY AUTOINCREMENT, account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
          subject TEXT NOT NULL DEFAULT '', body TEXT, is_spam INTEGER CHECK(is_spam IN (0, 1)));
        """
    private static let index = "CREATE INDEX email_on_account ON email(account_id, subject);"
    private static let trigger = "CREATE TRIGGER email_gone AFTER DELETE ON email BEGIN SELECT old.id; END;"

    @Test(arguments: [
        LintCase("the index", definition + copy + trigger, says: [.warning]),
        LintCase("the trigger", definition + copy + index, says: [.warning]),
        LintCase("both", definition + copy, says: [.warning, .warning]),
        LintCase(
            "AUTOINCREMENT", definition.replacing(" AUTOINCREMENT", with: "") + copy + index + trigger,
            says: [.warning]),
        LintCase(
            "a unique index, which an index of the same columns does not replace",
            schema: "CREATE TABLE a(x, y); CREATE UNIQUE INDEX i ON a(x);",
            "CREATE TABLE n(x, y); INSERT INTO n(x, y) SELECT x, y FROM a; DROP TABLE a; ALTER TABLE n RENAME TO a; CREATE INDEX j ON a(x)",
            says: [.warning]),
        LintCase(
            "DEFAULT", definition.replacing(" DEFAULT ''", with: "") + copy + index + trigger, says: [.note]),
    ]) func says(_ it: LintCase) async throws { try await it.check(.rebuildForgets) }

    @Test func theMarkIsLowered() async throws {
        let copy = Self.copy.replacing("UPDATE sqlite_sequence SET seq = seq WHERE name = 'n';", with: "")
        let steps = Self.definition + copy + Self.index + Self.trigger
        let it = LintCase("", steps, says: [.note])
        let help = try #require(try await it.check(.rebuildForgets).first).help
        let remedy = help.split(separator: "\n").dropFirst().joined(separator: "\n")
        func next(_ sql: String) throws -> [Int64] {
            let database = try PlainDatabase()
            try database.execute(LintCase.mail + LintCase.rows + "DELETE FROM email WHERE id = 2;" + sql)
            try database.execute("INSERT INTO email(account_id) VALUES (1)")
            return try database.rows("SELECT max(id) FROM email") { $0.integer(0) }
        }
        #expect(try next("") == [3] && next(steps) == [2])
        #expect(try next(steps.replacing("DROP VIEW", with: remedy + " DROP VIEW")) == [3])
    }

    @Test(arguments: [
        LintCase("nothing forgotten", definition + copy + index + trigger),
        LintCase(
            "an index under another name",
            definition + copy + trigger + index.replacing("email_on", with: "other_on")),
        LintCase(
            "dropped by name", "DROP INDEX email_on_account; DROP TRIGGER email_gone;" + definition + copy),
        LintCase(
            "a longer index",
            definition + copy + trigger + "CREATE INDEX i ON email(account_id, subject, body);"),
        LintCase(
            "an index on what is the key now",
            schema: "CREATE TABLE a(x INTEGER, y); CREATE UNIQUE INDEX i ON a(x);",
            "CREATE TABLE n(x INTEGER PRIMARY KEY, y); INSERT INTO n(x, y) SELECT x, y FROM a; DROP TABLE a; ALTER TABLE n RENAME TO a"
        ),
        LintCase(
            "a unique index that is a constraint now",
            schema: "CREATE TABLE a(x, y); CREATE UNIQUE INDEX i ON a(x, y);",
            "CREATE TABLE n(x, y, UNIQUE(y, x)); INSERT INTO n(x, y) SELECT x, y FROM a; DROP TABLE a; ALTER TABLE n RENAME TO a"
        ),
        LintCase(
            "an index of a column that is dropped",
            schema: "CREATE TABLE a(x, y); CREATE INDEX i ON a(x, y);",
            "CREATE TABLE n(x); INSERT INTO n(x) SELECT x FROM a; DROP TABLE a; ALTER TABLE n RENAME TO a"),
        LintCase("DROP TABLE alone", "DROP VIEW inbox; DROP TABLE email"),
    ]) func isSilent(_ it: LintCase) async throws { try await it.check(.rebuildForgets) }

    private static let note =
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT NOT NULL DEFAULT 'x', b INTEGER UNIQUE);"
    private static let made = "CREATE TABLE n AS SELECT * FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t;"

    @Test(arguments: [
        LintCase("its DEFAULT", schema: note, made, says: [.note]),
        LintCase(
            "its index is lost, too", schema: "CREATE TABLE t(a TEXT); CREATE INDEX i ON t(a);", made,
            says: [.warning]),
        LintCase("nothing to lose", schema: "CREATE TABLE t(a TEXT);", made),
        LintCase("kept for a while", schema: note, "CREATE TABLE n AS SELECT * FROM t; DROP TABLE n;"),
        LintCase(
            "of another table", schema: note + "CREATE TABLE o(a);", "CREATE TABLE n AS SELECT * FROM o"),
    ]) func createTableAs(_ it: LintCase) async throws { try await it.check(.rebuildForgets) }

    @Test func createTableAsCopiesNoConstraint() throws {
        let database = try PlainDatabase()
        try database.execute(Self.note + "INSERT INTO t VALUES (1, 'a', 1);" + Self.made)
        try database.execute("INSERT INTO t VALUES (1, NULL, 1)")
        #expect(try database.rows("SELECT count(*) FROM t") { $0.integer(0) } == [2])
    }

    private static func remade(_ old: String, _ new: String, says: [Finding.Severity]) -> LintCase {
        LintCase(
            new, schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); \(old);",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); INSERT INTO n(id, a, b) SELECT id, a, b FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t; \(new)",
            says: says)
    }

    @Test(arguments: [
        remade("CREATE UNIQUE INDEX i ON t(a)", "CREATE INDEX i ON t(a)", says: [.warning]),
        remade("CREATE INDEX i ON t(a)", "CREATE INDEX i ON t(b)", says: [.note]),
        remade("CREATE INDEX i ON t(a)", "CREATE INDEX i ON t(a) WHERE b > 1", says: [.note]),
        remade("CREATE INDEX i ON t(a)", "CREATE INDEX i ON \"t\"(\"A\" COLLATE binary ASC)", says: []),
    ]) func anIndexRecreatedUnderItsName(_ it: LintCase) async throws { try await it.check(.rebuildForgets) }

    @Test func aTriggerRecreatedUnderAnotherName() async throws {
        let other = Self.trigger.replacing("email_gone", with: "trg_email_gone")
        let it = LintCase("", Self.definition + Self.copy + Self.index + other, says: [.warning])
        let finding = try #require(try await it.check(.rebuildForgets).first)
        #expect(finding.message.hasPrefix("trigger email_gone is dropped with the old email and recreated"))
        #expect(finding.message.contains("under another name, trg_email_gone"))
        #expect(finding.place?.statement?.hasPrefix("CREATE TRIGGER trg_email_gone") == true)
        try await LintCase(
            "", "DROP TRIGGER email_gone;" + Self.definition + Self.copy + Self.index + other
        ).check(.rebuildForgets)
    }

    @Test func anIndexDroppedByNameIsIntended() async throws {
        var it = Self.remade("CREATE INDEX i ON t(a)", "CREATE INDEX i ON t(b)", says: [])
        it.steps[1] = "DROP INDEX i; " + it.steps[1]
        try await it.check(.rebuildForgets)
    }

    @Test func duplicatesAreAcceptedAfterTheRebuild() throws {
        let it = Self.remade("CREATE UNIQUE INDEX i ON t(a)", "CREATE INDEX i ON t(a)", says: [])
        let database = try PlainDatabase()
        try database.execute(it.steps.joined() + "; INSERT INTO t(a) VALUES ('x'), ('x')")
    }

    @Test func anIndexOfAnotherTableDoesNotReplaceIt() async throws {
        let finding = try await LintCase(
            "", schema: "CREATE TABLE t(a); CREATE TABLE o(a); CREATE INDEX i ON t(a);",
            "CREATE TABLE n(a); INSERT INTO n(a) SELECT a FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t; CREATE INDEX i ON o(a);",
            says: [.warning]
        ).check(.rebuildForgets).first
        #expect(finding?.message.contains("index i is dropped with the old t") == true)
    }
}
