import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct SchemaMismatchTests {
    private static func drift(_ edit: String, steps: [String] = ["ALTER TABLE log ADD COLUMN level"])
        -> Scenario
    {
        var scenario = Scenario(Mail.schema, rows: Mail.rows, steps: steps)
        scenario.schemaEdit = edit
        return scenario
    }

    struct Drift: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var edit: String
        var errors: [Rule] = []
        var warnings: [Rule] = []

        init(_ name: String, _ edit: String, errors: [Rule] = [], warnings: [Rule] = []) {
            (testDescription, self.edit, self.errors, self.warnings) = (name, edit, errors, warnings)
        }
    }

    @Test(arguments: [
        Drift("none", ""),
        Drift("an index is missing", "DROP INDEX email_on_account", errors: [.schemaMismatch]),
        Drift("a trigger is missing", "DROP TRIGGER email_gone", errors: [.schemaMismatch]),
        Drift("a view is missing", "DROP VIEW inbox", errors: [.schemaMismatch]),
        Drift("a table is missing", "DROP TABLE blank", errors: [.schemaMismatch]),
        Drift("an index too many", "CREATE INDEX extra ON log(at)", errors: [.schemaMismatch]),
        Drift("a table too many", "CREATE TABLE extra(a)", errors: [.schemaMismatch]),
        Drift("a column too many", "ALTER TABLE blank ADD COLUMN extra", errors: [.schemaMismatch]),
        Drift(
            "another index of the same name",
            "DROP INDEX email_on_account; CREATE INDEX email_on_account ON email(received_at, account_id)",
            errors: [.schemaMismatch]),
        Drift(
            "another collation, which no PRAGMA shows",
            "DROP TABLE blank; CREATE TABLE blank(id INTEGER PRIMARY KEY, note TEXT COLLATE NOCASE)",
            errors: [.schemaMismatch]),
        Drift(
            "another check, which no PRAGMA shows",
            "DROP TABLE blank; CREATE TABLE blank(id INTEGER PRIMARY KEY, note TEXT CHECK (note <> ''))",
            errors: [.schemaMismatch]),
        Drift(
            "columns in another order, a warning",
            "DROP TABLE blank; CREATE TABLE blank(note TEXT, id INTEGER PRIMARY KEY)",
            warnings: [.schemaMismatch]),
        Drift(
            "a unique index in place of a constraint, a warning",
            """
            PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; DROP TABLE account;
            CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT);
            CREATE UNIQUE INDEX account_email ON account(email);
            INSERT INTO account SELECT DISTINCT account_id, account_id, NULL FROM email;
            """, warnings: [.schemaMismatch]),
        Drift(
            "an index of another collation in place of a constraint",
            """
            PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; DROP TABLE account;
            CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT);
            CREATE UNIQUE INDEX account_email ON account(email COLLATE NOCASE);
            INSERT INTO account SELECT DISTINCT account_id, account_id, NULL FROM email;
            """, errors: [.schemaMismatch, .schemaMismatch]),
        Drift(
            "a partial index in place of a constraint",
            """
            PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; DROP TABLE account;
            CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT);
            CREATE UNIQUE INDEX account_email ON account(email) WHERE id > 0;
            INSERT INTO account SELECT DISTINCT account_id, account_id, NULL FROM email;
            """, errors: [.schemaMismatch, .schemaMismatch]),
        Drift(
            "blanks, quotes, comments and case",
            "DROP TABLE blank; create table \"blank\" (id integer primary key /* id */,\n [note]   text -- note\n)"
        ),
        Drift(
            "the text that ALTER leaves",
            "ALTER TABLE blank RENAME TO b; ALTER TABLE b RENAME TO blank; ALTER TABLE log RENAME line TO l; ALTER TABLE log RENAME l TO line"
        ),
    ])
    func drift(_ it: Drift) async throws {
        let report = try await Self.drift(it.edit).verify()
        report.expect(errors: it.errors, warnings: it.warnings)
        // The same at the newest version, where nothing is pending.
        let still = try await Self.drift(it.edit, steps: []).verify()
        still.expect(errors: it.errors, warnings: it.warnings + [.nothingVerified])
    }

    @Test func aFaultRepairedByAStepIsNotReported() async throws {
        let report = try await Self.drift(
            "DROP INDEX email_on_account",
            steps: [Mail.emailIndexes.replacing("INDEX", with: "INDEX IF NOT EXISTS")]
        )
        .verify()
        report.expectNothing()
    }

    @Test func theFindingShowsBothSides() async throws {
        let finding = try await Self.drift("ALTER TABLE blank ADD COLUMN extra").verify().finding(
            .schemaMismatch)
        #expect(finding.message == "column blank.extra exists, but not in a fresh install")
        let details = finding.evidence?.details ?? []
        #expect(details.count == 2)
        #expect(details.first?.contains("extra") == true)
        #expect(details.last?.contains("extra") == false)
    }

    /// The snapshot is past what fails on an empty database.
    private static func failing(_ statement: String) -> Scenario {
        Scenario(
            migrations: [
                ("v1", "CREATE TABLE n(a)"), ("v2", "INSERT INTO n VALUES (1); \(statement)"),
                ("v3", "ALTER TABLE n ADD COLUMN b"),
            ], at: 1, schemaEdit: "INSERT INTO grdb_migrations VALUES ('v2')")
    }

    /// A function may be the app's.
    @Test func withoutAFreshInstallItIsNotChecked() async throws {
        let report = try await Self.failing("SELECT slug(a) FROM n").verify()
        report.expect(notChecked: [.schemaMismatch])
        #expect(report.notChecked[0].reason.contains("a fresh install cannot be created: v2 fails"))
    }

    @Test func whatNoNewUserCanInstallIsAnError() async throws {
        // NOTHING is a keyword.
        for statement in ["SELECT slug FROM n", "SELECT nothing()"] {
            let report = try await Self.failing(statement).verify()
            report.expect(errors: [.migrationFailed], notChecked: [.schemaMismatch])
            #expect(report.notChecked[0].reason == "there is no fresh install to compare with")
        }
    }

    @Test func aPartialReplayIsComparedWithAPartialInstall() async throws {
        let report = try await Scenario(
            Mail.schema, rows: Mail.rows, steps: "ALTER TABLE log ADD COLUMN x",
            "ALTER TABLE log ADD COLUMN y"
        ).verify { $0.upTo = "v2" }
        report.expectNothing()
        #expect(report.replays[0].to == "v2")
    }

    @Test func historyAndShadowTablesAreIgnored() async throws {
        let report = try await Scenario(
            "CREATE VIRTUAL TABLE note USING fts5(body)", rows: "INSERT INTO note VALUES ('a');",
            steps: "SELECT 1"
        ).verify()
        report.expectNothing()
    }
}
