import DrydockMigrations
import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport

/// The names in declarations, compared with the schemas before and after a step.
@Suite struct DeclarationNamesTests {
    private static let schema = """
        CREATE TABLE email(id INTEGER PRIMARY KEY, sender, "x.y"); CREATE TABLE log(at, line);
        CREATE TABLE old(a); CREATE TABLE "odd ""name"(ä); CREATE TABLE keyed(a UNIQUE);
        CREATE INDEX email_sender ON email(sender); CREATE VIEW inbox AS SELECT id FROM email;
        CREATE TRIGGER email_gone AFTER DELETE ON email BEGIN SELECT 1; END;
        """
    /// Tables and columns are renamed, dropped and made.
    private static let step = """
        ALTER TABLE log RENAME TO lines; ALTER TABLE lines RENAME COLUMN line TO words;
        CREATE TABLE new(b, sender); INSERT INTO new SELECT a, a FROM old; DROP TABLE old; CREATE INDEX i ON new(b);
        """

    /// Returns the messages of the first declaration's faults, of its names and of its condition.
    private func faults(_ declarations: [String], _ step: String = Self.step) throws -> [String] {
        let it = try SQLStep(Self.schema, step)
        let all = try Declaration.all(declarations)
        let names = DeclarationNames(
            before: it.before, after: it.after, lineage: it.lineage, migration: "v2", declarations: all)
        let earlier = try PlainDatabase()
        try earlier.execute(Self.schema)
        let findings = [names.fault(of: all[0]) ?? names.conditionFault(of: all[0], earlier)].compactMap {
            $0
        }
        for finding in findings {
            #expect(finding.rule == .invalidDeclaration && finding.migration == "v2")
            #expect(finding.place?.file == "v2.sql")
        }
        return findings.map { "\($0.message) | \($0.help)" }
    }

    @Test(arguments: [
        "drops table log", "drops table LINES", "drops table old", "drops table new",
        "drops table \"odd \"\"name\"", "drops table [ODD \"NAME]", "inserts into sqlite_sequence",
        "inserts into lines", "rewrites email", "rewrites sqlite_sequence.seq",
        "drops column email.sender", "drops column EMAIL.[X.Y]", "drops column log.words",
        "drops column lines.line", "drops column old.a", "drops column \"odd \"\"name\".ä",
        "drops index EMAIL_SENDER", "drops view inbox", "drops trigger [Email_Gone]",
        "renames table log to lines", "renames table old to new", "renames column log.line to log.words",
        "renames column lines.line to lines.words", "rewrites new.b",
        "deletes from email", "deletes from email where sender = 'x' and \"x.y\" is null",
        "deletes from log where line = 'x'", "deletes from lines where line = 'x'",
        "deletes from old where a > 0",
        "deletes from \"odd \"\"name\" where ä", "preserves select x from nowhere", "foreign-keys immediate",
        "deletes from email where (sender in (select line from log)) -- why",
    ])
    func `a name from before or after the step`(declaration: String) throws {
        #expect(try faults([declaration]) == [])
    }

    @Test(arguments: [
        ("drops table lgo", "no table is called 'lgo' before or after the migration | Did you mean 'log'?"),
        (
            "drops table inbox",
            "no table is called 'inbox' before or after the migration | Declared was: drops table inbox"
        ),
        (
            "inserts into email_sender",
            "no table is called 'email_sender' before or after the migration | Declared was: inserts into email_sender"
        ),
        (
            "drops column email.sendr",
            "table email has no column 'sendr' before or after the migration | Did you mean 'sender'?"
        ),
        (
            "drops column \"odd \"\"name\".Ä",
            "table odd \"name has no column 'Ä' before or after the migration | Declared was: drops column \"odd \"\"name\".Ä"
        ),
        (
            "renames column log.line to log.wrods",
            "table log has no column 'wrods' before or after the migration | Did you mean 'words'?"
        ),
        (
            "rewrites main.log",
            "no table is called 'main' before or after the migration | Did you mean 'log.*'?"
        ),
        (
            "drops index email_sendr",
            "no index is called 'email_sendr' before the migration | Did you mean 'email_sender'?"
        ),
        // What the migration makes cannot be lost, and what belongs to a constraint goes with it.
        ("drops index i", "no index is called 'i' before the migration | Declared was: drops index i"),
        (
            "drops index sqlite_autoindex_keyed_1",
            "no index is called 'sqlite_autoindex_keyed_1' before the migration | Declared was: drops index sqlite_autoindex_keyed_1"
        ),
        (
            "drops view email",
            "no view is called 'email' before the migration | Declared was: drops view email"
        ),
        (
            "deletes from new",
            "table new is made by the migration: it has no rows that could be deleted | Declared was: deletes from new"
        ),
        (
            "deletes from email where a) or (1",
            "'a) or (1' is not one expression | Declared was: deletes from email where a) or (1"
        ),
        (
            "renames table lgo to lines",
            "no table is called 'lgo' before or after the migration | Did you mean 'log'?"
        ),
        (
            "renames table log to linse",
            "no table is called 'linse' before or after the migration | Did you mean 'lines'?"
        ),
    ])
    func `a name that neither side has`(declaration: String, fault: String) throws {
        #expect(try faults([declaration]) == [fault])
    }

    @Test(arguments: [
        "deletes from log where words = 'x'", "deletes from email where sendr = 'x'",
        "deletes from email where count(*) > 1", "deletes from email where sender =",
    ])
    func `a condition that does not compile before the step`(declaration: String) throws {
        let faults = try faults([declaration])
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("the condition does not compile before the migration: ") == true)
    }

    @Test func `a declared rename makes both names known for each other`() throws {
        let rename = "renames table old to new"
        #expect(try faults(["deletes from new where a > 0"]).count == 1)
        for declaration in [
            "deletes from new where a > 0", "deletes from NEW", "drops column new.a", "rewrites old.b",
            "renames column old.a to old.b", "renames column new.a to new.b",
        ] {
            #expect(try faults([declaration, rename]) == [], "\(declaration)")
        }
        #expect(try faults(["drops column new.c", rename]).count == 1)
    }

    @Test func `swapped names are both known`() throws {
        let swap = "ALTER TABLE log RENAME TO x; ALTER TABLE old RENAME TO log; ALTER TABLE x RENAME TO old;"
        for declaration in [
            "drops column log.a", "drops column log.line", "drops column old.a", "drops column old.line",
            "deletes from log where line = 1", "deletes from old where a = 1",
        ] {
            #expect(try faults([declaration], swap) == [], "\(declaration)")
        }
        #expect(try faults(["deletes from log where a = 1"], swap).count == 1)
    }
}
