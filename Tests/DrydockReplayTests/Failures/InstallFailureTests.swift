import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

/// What no new user can install is an error, whatever the snapshots do; what is not known of it is not checked.
struct InstallFailureTests {
    /// The snapshot lacks the index that the first migration makes, so that the second one runs there.
    private static let scenario = Scenario(
        migrations: [
            (
                "v1",
                "CREATE TABLE quota(id INTEGER PRIMARY KEY, who TEXT);\nCREATE INDEX quota_who ON quota(who);"
            ),
            ("v2", "SELECT 1;\nCREATE INDEX quota_who ON quota(who);"),
        ], at: 1, rows: "INSERT INTO quota VALUES (1, 'a');", schemaEdit: "DROP INDEX quota_who")

    @Test func `a set that fails on an empty database is an error with its statement`() async throws {
        let report = try await Self.scenario.verify()
        report.expect(errors: [.migrationFailed], notChecked: [.schemaMismatch])
        #expect(report.notChecked[0].reason == "there is no fresh install to compare with")
        let finding = try report.finding(.migrationFailed)
        #expect(finding.message == "on an empty database, v2 fails: index quota_who already exists")
        #expect(finding.tags == [.freshInstall] && finding.why?.contains("No new user can install") == true)
        #expect(finding.help.contains("Give it another name"))
        #expect(finding.migration == "v2" && finding.snapshot == nil)
        #expect(
            finding.place?.line == 2 && finding.place?.lineText == "CREATE INDEX quota_who ON quota(who);")
        #expect(report.steps == ["v2"] && !report.hasPassed)
    }

    @Test func `a live database is not migrated`() async throws {
        let project = try MigrateCase(
            ["CREATE TABLE pet(id INTEGER PRIMARY KEY)"], rows: "ALTER TABLE pet RENAME TO animal;")
        let before = try MigrateCase.content(project.path)
        for mode in [MigrateRequest.Mode.rehearsal, .apply] {
            let report = try await project.migrate(mode)
            #expect(report.rules(.error) == [.migrationFailed], "\(report.findings.map(\.line))")
            #expect(try MigrateCase.content(project.path) == before)
        }
    }

    @Test func `the cause is found in the rows that earlier migrations wrote`() async throws {
        let scenario = Scenario(
            migrations: [
                (
                    "v1",
                    "CREATE TABLE role(name TEXT); INSERT INTO role VALUES ('admin'), ('user'), ('admin');"
                ),
                ("v2", "CREATE UNIQUE INDEX role_name ON role(name);"),
            ], at: 1, schemaEdit: "DELETE FROM role WHERE rowid = 3")
        let finding = try await scenario.verify().finding(.migrationFailed)
        #expect(finding.message.contains("rows 1 and 3 of role"), "\(finding.message)")
    }

    @Test func `what fails on a snapshot too is said once`() async throws {
        let scenario = Scenario("CREATE TABLE a(x);", steps: "CREATE TABLE b(y)", "CREATE TABLE a(x)")
        let finding = try await scenario.verify().finding(.migrationFailed)
        #expect(finding.snapshot != nil && finding.tags == [.freshInstall])
        // Another statement that fails is another fact.
        let other = Scenario(
            migrations: [("v1", "CREATE TABLE a(x);"), ("v2", "CREATE TABLE c(x);\nCREATE TABLE a(x)")],
            at: 1,
            schemaEdit: "CREATE TABLE c(x)")
        #expect(try await other.verify().rules(.error) == [.migrationFailed, .migrationFailed])
    }

    @Test(arguments: [false, true]) func `generated rows say it once`(_ areBeside: Bool) async throws {
        let folder = try Scenario("CREATE TABLE a(x);", steps: "CREATE TABLE a(x)").write()
        let report = try await folder.verify {
            if areBeside {
                $0.probes.use = .always
            } else {
                $0.snapshots.folder = folder.file("nowhere")
                $0.snapshots.isFolderNamed = false
            }
        }
        let finding = try report.finding(.migrationFailed)
        #expect(finding.snapshot?.hasSuffix(areBeside ? ".sqlite" : "probe") == true)
        #expect(finding.tags == [.freshInstall])
    }

    @Test func `only what is asked for counts`() async throws {
        let report = try await Self.scenario.verify { $0.upTo = "v1" }
        #expect(!report.findings.contains { $0.rule == .migrationFailed }, "\(report.findings.map(\.line))")
    }

    @Test func `a released migration is no exception`() async throws {
        let released = Scenario(
            migrations: Self.scenario.migrations + [("v3", "CREATE TABLE c(x)")], at: 1,
            schemaEdit:
                "DROP INDEX quota_who; CREATE INDEX quota_who ON quota(who); INSERT INTO grdb_migrations VALUES ('v2')"
        )
        let report = try await released.verify()
        report.expect(errors: [.migrationFailed], notChecked: [.schemaMismatch])
        #expect(try report.finding(.migrationFailed).migration == "v2")
    }

    @Test func `it ends a runner's transaction`() async throws {
        let scenario = Scenario(
            migrations: [("v1", "CREATE TABLE a(x); COMMIT;"), ("v2", "CREATE TABLE b(x)")], at: 0,
            schemaEdit: "CREATE TABLE a(x); INSERT INTO grdb_migrations VALUES ('v1')")
        let report = try await scenario.verify()
        report.expect(errors: [.transactionEnded], notChecked: [.schemaMismatch])
        #expect(
            try report.finding(.transactionEnded).message.hasPrefix("on an empty database, COMMIT is used in")
        )
    }

    // MARK: - What is not known

    @Test(arguments: [
        "SELECT slug('a')", "CREATE VIRTUAL TABLE near USING vec0(v)", "SELECT 'a' = 'b' COLLATE icu",
        "CREATE VIRTUAL TABLE found USING fts5(a, tokenize = 'words')",
        "CREATE VIRTUAL TABLE found USING fts4(a, tokenize = words)", "SELECT load_extension('geo')",
        // A function that gives a table, and another file.
        "CREATE TABLE b AS SELECT value FROM no_series(1, 3)", "SELECT 1 FROM a JOIN no_series(1, 3)",
        "ATTACH 'other.sqlite' AS other; CREATE TABLE b AS SELECT * FROM other.a",
        // Columns of a module's table, which a stand-in lacks.
        "CREATE VIRTUAL TABLE near USING vec0(v); SELECT * FROM near WHERE v MATCH 'x' AND k = 3",
        "CREATE VIRTUAL TABLE words USING spellfix9; CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO words(word) "
            + "VALUES (new.x); END; INSERT INTO a VALUES (1)",
        // What another SQLite understands, and what another program replaces.
        "CREATE TABLE b(x); ALTER TABLE b ADD CONSTRAINT c CHECK (x > 0)", "CREATE TABLE {{prefix}}b(x)",
        // The tool's own table.
        "DELETE FROM grdb_migrations WHERE identifier = 'v7'",
    ]) func `what the app may have is not checked`(_ sql: String) async throws {
        let scenario = Scenario(
            migrations: [("v0", "CREATE TABLE a(x)"), ("v1", sql), ("v2", "CREATE TABLE last(x)")], at: 1,
            schemaEdit: "INSERT INTO grdb_migrations VALUES ('v1')")
        let report = try await scenario.verify()
        #expect(!report.findings.contains { $0.rule == .migrationFailed }, "\(report.findings.map(\.line))")
    }

    /// What code between the migrations does to a new database was not seen; what comes after them changes nothing.
    @Test(arguments: [("1_made.py", false), ("2_made.py", false), ("3_made.py", true)])
    func `code may make what a migration expects`(_ file: String, _ isError: Bool) async throws {
        let project = ToolProject(
            files: [
                "1.sql": ToolProject.one, "2.sql": "ALTER TABLE made ADD COLUMN x;",
                "3.sql": ToolProject.three,
            ],
            history: "PRAGMA user_version = 2; CREATE TABLE made(id, x);"
        ).with(file, "code")
        let report = try await project.verify()
        let typo = try await project.with("2.sql", "CREATE TABEL b(x);").verify()
        #expect(typo.rules(.error) == [.migrationFailed])
        #expect(report.rules(.error) == (isError ? [.migrationFailed] : []), "\(report.findings.map(\.line))")
        #expect(report.notChecked.contains { $0.reason.contains("code alongside the migrations") } != isError)
    }

    /// A set that begins with what is there before.
    private static let based = Scenario(
        migrations: [("v1", "ALTER TABLE person ADD COLUMN born TEXT"), ("v2", "CREATE TABLE pet(x)")], at: 1,
        schemaEdit: "INSERT INTO grdb_migrations VALUES ('v1')")

    @Test(arguments: [false, true]) func `the first migration may need what only a base has`(
        _ hasEmptyOne: Bool
    ) async throws {
        var scenario = Self.based
        // As drizzle-kit introspect leaves it.
        if hasEmptyOne { scenario.migrations.insert(("v0", "/* CREATE TABLE person(id); */"), at: 0) }
        (scenario.at, scenario.schemaEdit) = (0, "CREATE TABLE person(id, born TEXT);" + scenario.schemaEdit)
        if hasEmptyOne { scenario.schemaEdit += ";INSERT INTO grdb_migrations VALUES ('v0')" }
        let report = try await scenario.verify()
        report.expect(notChecked: [.schemaMismatch])
        #expect(report.notChecked[0].reason.contains("'base' in drydock.yml"))
        let folder = try scenario.write()
        try folder.write("base.sql", "CREATE TABLE person(id);")
        try await folder.verify { $0.migrations.options.base = SchemaBase(path: folder.file("base.sql")) }
            .expectNothing()
        // With a base nothing else is there before.
        try folder.write("base.sql", "CREATE TABLE other(id);")
        let wrong = try await folder.verify {
            $0.migrations.options.base = SchemaBase(path: folder.file("base.sql"))
        }
        let finding = try wrong.finding(.migrationFailed)
        #expect(finding.message.hasPrefix("on the base, v1 fails: no such table: person"))
        #expect(!finding.help.contains("'base'"))
    }

    @Test(arguments: ["INDEX", "TRIGGER", "VIEW"])
    func `the first migration may drop what only a base has`(_ kind: String) async throws {
        let made = [
            "INDEX": "CREATE INDEX old ON person(id)", "VIEW": "CREATE VIEW old AS SELECT id FROM person",
            "TRIGGER": "CREATE TRIGGER old AFTER INSERT ON person BEGIN SELECT 1; END",
        ]
        let report = try await Scenario(
            migrations: [("v1", "-- drydock: drops object old\nDROP \(kind) old")], at: 0,
            schemaEdit: "CREATE TABLE person(id); \(made[kind] ?? "")"
        ).verify()
        #expect(!report.findings.contains { $0.rule == .migrationFailed }, "\(report.findings.map(\.line))")
        #expect(report.notChecked.contains { $0.reason.contains("'base' in drydock.yml") })
    }

    @Test func `a table that no database has is an error`() async throws {
        var scenario = Self.based
        (scenario.at, scenario.schemaEdit) = (0, "CREATE TABLE people(id, born TEXT);" + scenario.schemaEdit)
        let report = try await scenario.verify()
        report.expect(errors: [.migrationFailed], notChecked: [.schemaMismatch])
        let finding = try report.finding(.migrationFailed)
        #expect(
            finding.message.contains("no such table: person")
                && finding.help.contains("'base' in drydock.yml"))
        // A later migration has the earlier ones before it, and nothing else.
        scenario = Scenario(
            migrations: [("v0", "CREATE TABLE first(x)")] + Self.based.migrations, at: 1,
            schemaEdit: "CREATE TABLE person(id)")
        #expect(try await scenario.verify().rules(.error) == [.migrationFailed])
    }

    @Test func `a tool's set fails as well, and its newest schema`() async throws {
        let project = ToolProject(
            files: ["1.sql": ToolProject.one, "2.sql": ToolProject.two, "3.sql": ToolProject.two],
            history: "PRAGMA user_version = 3; ALTER TABLE person ADD COLUMN born TEXT")
        func verify(_ schema: String?) async throws -> Report {
            let project =
                schema.map { project.with("schema.sql", $0).with("4.sql", "CREATE TABLE a(x);") } ?? project
            return try await project.verify {
                var format = CustomFormat(files: #"(?<version>[0-9]+)\.sql"#, query: "PRAGMA user_version")
                (format.isNewestOnly, format.record) = (true, ["PRAGMA user_version = :version"])
                format.schema = schema.map { _ in "schema.sql" }
                $0.migrations.options.custom = format
            }
        }
        let finding = try await verify(nil).finding(.migrationFailed)
        #expect(finding.message == "on an empty database, 3 fails: duplicate column name: born")
        let schema = try await verify("CREATE TABLE a(x);\nCREATE TABLE a(x);").finding(.migrationFailed)
        #expect(schema.place?.line == 2 && schema.place?.file.hasSuffix("schema.sql") == true)
        #expect(
            schema.message.contains(
                "the schema of the newest version cannot be created: table a already exists")
        )
    }
}

/// The project's own command on a new database.
@Suite(.enabled(if: CommandCase.isPossible, "it needs python3 with its module sqlite3"))
struct CommandInstallTests {
    @Test func `a command that fails on a new database is an error`() async throws {
        var project = CommandCase()
        project.steps.append(("0004_again", "CREATE INDEX person_by_name ON person(name)"))
        (project.at, project.rows) = (3, CommandCase.ada + "; DROP INDEX person_by_name")
        let report = try await project.verify()
        report.expect(errors: [.migrationFailed], notChecked: [.schemaMismatch])
        let finding = try report.finding(.migrationFailed)
        #expect(finding.migration == "0004_again" && finding.message.hasPrefix("on an empty database, "))
    }
}
