import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// What a project's source says of foreign keys in so many words decides how its migrations are run.
@Suite struct ForeignKeySignsTests {
    private static let rebuild = """
        CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '');
        INSERT INTO new_person(id, name) SELECT id, name FROM person;
        DROP TABLE person;
        ALTER TABLE new_person RENAME TO person;

        """

    /// A project whose migrations are diesel's, which leaves foreign keys off.
    private func diesel(_ files: [String: String], _ second: String = rebuild) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("app/Cargo.toml", "[dependencies]\ndiesel = \"2\"\n")
        try folder.write("app/migrations/2024-01-01-000000_people/up.sql", ToolProject.one)
        try folder.write("app/migrations/2024-01-02-000000_second/up.sql", second)
        for (name, text) in files { try folder.write("app/\(name)", text) }
        return folder
    }

    private func lint(_ folder: TemporaryFolder, _ place: String = "app/migrations") async throws -> Report {
        var request = LintRequest()
        request.migrations.folder = folder.file(place)
        return try await Linter(engine: GRDBDriver()).run(request).report
    }

    private func cascades(_ report: Report) -> Bool {
        report.findings.contains { $0.rule == .dropParentCascades }
    }

    static let on = [
        ("src/db.rs", "    db.execute(\"PRAGMA foreign_keys = ON\")?;"),
        ("src/db.rs", "conn.execute_batch(\"PRAGMA journal_mode=WAL; PRAGMA foreign_keys=1;\")?;"),
        ("src/db.rs", "conn.pragma_update(None, \"foreign_keys\", \"ON\")?;"),
        ("src/db.rs", "conn.pragma_update(None, \"foreign_keys\", &true)?;"),
        ("src/db.rs", "conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;"),
        ("src/db.rs", "let options = SqliteConnectOptions::new().foreign_keys(true);"),
        ("store/db.go", "db, err := sql.Open(\"sqlite3\", \"file:app.db?cache=shared&_fk=1\")"),
        ("store/db.go", "\tquery.Set(\"_foreign_keys\", \"on\")"),
        ("store/db.go", "dsn := path + \"?_pragma=foreign_keys(1)&_pragma=busy_timeout(500)\""),
        ("store/db.go", "dsn := path + \"?_foreign_keys=true\""),
        ("src/db.ts", "db.pragma('foreign_keys = ON');"),
        ("src/db.mjs", "await client.execute(`PRAGMA foreign_keys=on`);"),
        ("app/db.py", "    cursor.execute(\"PRAGMA foreign_keys=ON\")"),
        ("app/db.py", "db = SqliteDatabase(path, pragmas={'foreign_keys': 1})"),
    ]

    @Test(arguments: on) func whatIsOnIsFound(_ file: String, _ line: String) async throws {
        let folder = try diesel([file: "first\n" + line + "\n"])
        let report = try await lint(folder)
        #expect(cascades(report), "\(line)")
        let reading = try #require(report.readings.first)
        #expect(report.readings.count == 1 && reading.formats == ["diesel"])
        #expect(reading.behaviour == "foreign keys on")
        #expect(reading.source?.hasSuffix("app/\(file):2") == true, "\(reading)")
        // It is no longer open what is meant, so nothing is said under a name.
        #expect(report.findings.allSatisfy { !$0.message.contains("runs them") })
    }

    static let nothing = [
        ("src/db.rs", "// db.execute(\"PRAGMA foreign_keys = ON\")?;"),
        ("src/db.rs", "let on = conn.query_row(\"PRAGMA foreign_keys\", [], |row| row.get(0))?;"),
        ("src/db.rs", "assert!(pragma(\"foreign_keys\") == 1);"),
        ("src/db.rs", "#[cfg(test)]\nmod tests {\n    db.execute(\"PRAGMA foreign_keys = ON\")?;"),
        ("src/schema.rs", "let options = Options { foreign_keys: true };"),
        ("tests/db.rs", "db.execute(\"PRAGMA foreign_keys = ON\")?;"),
        ("store/db_test.go", "db.Exec(\"PRAGMA foreign_keys = ON\")"),
        ("src/db.test.ts", "db.pragma('foreign_keys = ON');"),
        ("node_modules/x/db.js", "db.pragma('foreign_keys = ON');"),
        ("target/db.rs", "db.execute(\"PRAGMA foreign_keys = ON\")?;"),
        ("docs/notes.md", "db.execute(\"PRAGMA foreign_keys = ON\")"),
        ("src/0001_first.ts", "db.pragma('foreign_keys = ON');"),
        ("app/db.py", "# cursor.execute(\"PRAGMA foreign_keys=ON\")"),
    ]

    @Test(arguments: nothing) func whatSaysNothingChangesNothing(_ file: String, _ line: String) async throws
    {
        let report = try await lint(try diesel([file: line + "\n"]))
        #expect(!cascades(report) && report.readings.isEmpty, "\(line)")
    }

    /// Where a project says both, both are tried.
    @Test func contradictionsAreBothTried() async throws {
        let folder = try diesel([
            "src/a.rs": "db.execute(\"PRAGMA foreign_keys = ON\")?;\n",
            "src/b.rs": "db.execute(\"PRAGMA foreign_keys = OFF\")?;\n",
        ])
        let report = try await lint(folder)
        #expect(report.readings.map(\.behaviour) == ["foreign keys on", "foreign keys off"])
        let finding = try #require(report.findings.first { $0.rule == .dropParentCascades })
        #expect(finding.message.contains("foreign keys on: ") && finding.message.contains("src/a.rs:1"))
    }

    /// What turns them off, migrates and turns them on again has them off while it migrates.
    @Test func theyAreOffAroundMigrations() async throws {
        let folder = try diesel([
            "src/a.rs": """
            db.execute("PRAGMA foreign_keys = ON")?;
            db.execute("PRAGMA foreign_keys = OFF")?;
            db.run_pending_migrations(MIGRATIONS)?;
            db.execute("PRAGMA foreign_keys = ON")?;

            """
        ])
        #expect(!cascades(try await lint(folder)))
    }

    /// What turns them off for other work says nothing of the migrations.
    @Test func theyAreOffAroundAnImport() async throws {
        let folder = try diesel([
            "src/a.rs": """
            db.execute("PRAGMA foreign_keys = ON")?;
            db.run_pending_migrations(MIGRATIONS)?;
            db.execute("PRAGMA foreign_keys = OFF")?;
            import(&db)?;
            db.execute("PRAGMA foreign_keys = ON")?;

            """
        ])
        let report = try await lint(folder)
        #expect(cascades(report))
        #expect(report.readings.map(\.behaviour) == ["foreign keys on", "foreign keys off"])
    }

    /// Settings say more than source, and what no connection decides is not searched for.
    @Test func settingsAreStronger() async throws {
        let folder = try diesel(["src/db.rs": "db.execute(\"PRAGMA foreign_keys = ON\")?;\n"])
        var request = LintRequest()
        request.migrations.folder = folder.file("app/migrations")
        request.migrations.options.foreignKeys = false
        let report = try await Linter(engine: GRDBDriver()).run(request).report
        #expect(!cascades(report) && report.readings.isEmpty)
    }

    /// Readings that differ in foreign keys are settled by what the source says.
    @Test(arguments: [
        (".foreign_keys(true)", true), (".foreign_keys(false)", false),
    ]) func readingsAreSettled(_ words: String, _ cascades: Bool) async throws {
        let folder = try TemporaryFolder()
        try folder.write("app/migrations/0001_people.sql", ToolProject.one)
        try folder.write("app/migrations/0002_second.sql", Self.rebuild)
        try folder.write("app/src/main.rs", "let options = SqliteConnectOptions::new()\(words);\n")
        let report = try await lint(folder)
        #expect(report.readings.count == 1, "\(report.readings)")
        #expect(report.readings.first?.source?.hasSuffix("app/src/main.rs:1") == true)
        #expect(self.cascades(report) == cascades)
    }

    /// The PRAGMA of a migration that the tool's transaction makes void is named once foreign keys are on.
    @Test func thePragmaOfAFileThatDoesNothingIsNamed() async throws {
        let second = "PRAGMA foreign_keys = OFF;\n" + Self.rebuild + "PRAGMA foreign_keys = ON;\n"
        let source = ["src/db.rs": "db.execute(\"PRAGMA foreign_keys = ON\")?;\n"]
        let report = try await lint(try diesel(source, second))
        #expect(report.findings.contains { $0.rule == .pragmaIgnored && $0.severity == .error })
        let off = try await lint(try diesel([:], second))
        #expect(!off.findings.contains { $0.rule == .pragmaIgnored && $0.severity == .error })
    }

    /// The folder that shrink writes has no source that says it.
    @Test func shrinkWritesWhatTheSourceSaid() throws {
        let folder = try diesel(["src/db.rs": "db.execute(\"PRAGMA foreign_keys = ON\")?;\n"])
        try PlainDatabase(folder.file("first.sqlite")).execute(
            ToolProject.one + ToolProject.rows
                + "CREATE TABLE __diesel_schema_migrations(version VARCHAR(50) PRIMARY KEY NOT NULL, "
                + "run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);"
                + "INSERT INTO __diesel_schema_migrations(version) VALUES ('20240101000000');")
        let result = try Tool(folder: folder).run(
            "shrink", "first.sqlite", "-m", "app/migrations", "-o", "small")
        #expect(result.status == 0, "\(result)")
        let settings = try String(contentsOfFile: folder.file("small/drydock.yml"), encoding: .utf8)
        #expect(settings.contains("foreignKeys: true") && settings.contains("migrationFormat: diesel"))
    }
}
