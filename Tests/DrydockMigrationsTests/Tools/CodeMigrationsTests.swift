import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

/// Tools whose migrations are code: each is named, with a recipe that works.
@Suite struct CodeMigrationsTests {
    static let projects: [(tool: String, files: [String: String], says: String)] = [
        ("Django", ["app/migrations/__init__.py": "", "app/migrations/0001_initial.py": ""], "sqlmigrate"),
        (
            "Alembic", ["alembic.ini": "", "alembic/env.py": "", "alembic/versions/ae1027_x.py": ""],
            "upgrade FROM:TO --sql"
        ),
        ("Rails", ["db/migrate/20240101000000_x.rb": "", "db/schema.rb": ""], "structure.sql"),
        ("Ecto", ["priv/repo/migrations/20240101000000_x.exs": ""], "--log-migrations-sql"),
        ("Laravel", ["database/migrations/2024_01_01_000000_x.php": ""], "migrate --pretend"),
        (
            "Knex", ["migrations/20240101_x.js": "", "package.json": #"{"dependencies": {"knex": "3"}}"#],
            "DEBUG=knex:query"
        ),
        (
            "Sequelize",
            [
                "migrations/20240101-x.js": "",
                "package.json": #"{"devDependencies": {"sequelize-cli": "6"}}"#,
            ], "logging: true"
        ),
        (
            "TypeORM",
            [
                "src/migrations/1700000000000-x.ts": "",
                "package.json": #"{"dependencies": {"typeorm": "0.3"}}"#,
            ], "migration:run -d"
        ),
        (
            "EF Core", ["Migrations/20240101_X.cs": "", "Migrations/AppModelSnapshot.cs": ""],
            "dotnet ef migrations script"
        ),
        (
            "Room", ["app/build.gradle.kts": "implementation(\"androidx.room:room-runtime:2.6\")"],
            "room.schemaLocation"
        ),
        ("Drift", ["pubspec.yaml": "dependencies:\n  drift: ^2.0.0\n"], "drift_dev schema dump"),
        ("Go", ["internal/migrations/001_first.go": "package migrations"], "log the SQL"),
        ("Kotlin", ["app/src/migrations/Migration1.kt": ""], "log the SQL"),
        ("JavaScript", ["migrations/20240101_x.js": "", "package.json": "{}"], "log the SQL"),
    ]

    @Test(arguments: projects)
    func toolsAreNamed(_ tool: String, _ files: [String: String], _ says: String) throws {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write(name, text) }
        let error = #expect(throws: RequestError.self) { try MigrationsFinder.find(in: folder.path) }
        #expect(
            error?.description.contains("are \(tool)'s, which are code") == true,
            "\(error?.description ?? "")")
        let recipe = (error?.quote ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(recipe.contains(says), "\(recipe)")
    }

    /// The blocks that run a tool's own command are valid, and shown.
    @Test(arguments: CodeMigrations.all.filter { !$0.command.isEmpty })
    func commandsOfRecipesAreSettings(_ tool: CodeMigrations) throws {
        let folder = try TemporaryFolder()
        try folder.write("drydock.yml", tool.command.joined(separator: "\n") + "\n")
        let result = try Tool(folder: folder).run("verify", "--no-probe")
        // Only the snapshots are missing.
        #expect(result.status == 2 && result.errors.contains("no snapshot on which '"), "\(result)")
        for line in tool.command { #expect(tool.help.contains("          " + line)) }
    }

    /// A folder of code that is named is refused in the same way.
    @Test func aNamedFolderOfCode() throws {
        let folder = try TemporaryFolder()
        try folder.write("db/migrate/20240101000000_x.rb", "")
        let error = #expect(throws: RequestError.self) {
            try MigrationsFinder.check(named: folder.file("db/migrate"), format: nil)
        }
        #expect(error?.description.contains("Rails's") == true)
    }

    /// SQL that is there is read, whatever else is there.
    @Test func sqlComesFirst() throws {
        let folder = try TemporaryFolder()
        try folder.write("app/migrations/__init__.py", "")
        try folder.write("app/migrations/0001_initial.py", "")
        try folder.write("db/migrations/1_x.sql", "SELECT 1;")
        #expect(try MigrationsFinder.find(in: folder.path).path == folder.file("db/migrations"))
    }

    /// The settings that help proposes are valid, and read the folder and the history that they describe.
    @Test(arguments: CodeMigrations.all.filter { !$0.settings.isEmpty })
    func settingsOfRecipesWork(_ tool: CodeMigrations) throws {
        let folder = try TemporaryFolder()
        try folder.write("drydock.yml", tool.settings.joined(separator: "\n") + "\n")
        let numbers = ["20240101000001", "20240101000002"]
        try folder.write("sql/\(numbers[0]).sql", "CREATE TABLE note(id INTEGER PRIMARY KEY);\n")
        // What these two print records itself.
        let own = [
            "Alembic": "UPDATE alembic_version SET version_num = '\(numbers[1])';\n",
            "EF Core": "INSERT INTO __EFMigrationsHistory(MigrationId) VALUES ('\(numbers[1])');\n",
        ]
        try folder.write(
            "sql/\(numbers[1]).sql", "ALTER TABLE note ADD COLUMN title TEXT;\n" + (own[tool.name] ?? ""))
        let text = tool.settings.joined(separator: "\n")
        let table = text.split(separator: "'").first { $0.hasSuffix("igrations") && !$0.contains(" ") }
        let names = ["schema_migrations", "alembic_version", "SequelizeMeta", "__EFMigrationsHistory"]
        let history = names.first { text.contains("table: '\($0)'") } ?? table.map(String.init) ?? ""
        let column = ["name", "version_num", "version", "migration", "timestamp", "MigrationId"].first {
            text.contains("SELECT \($0) FROM")
        }
        let identifier = numbers[0] + (text.contains(".js'") ? ".js" : "")
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try PlainDatabase(folder.file("Snapshots/first.sqlite")).execute(
            """
            CREATE TABLE note(id INTEGER PRIMARY KEY); INSERT INTO note VALUES (1);
            CREATE TABLE \(history)(app TEXT DEFAULT 'APP', name, version, version_num, migration, timestamp, MigrationId,
                applied, inserted_at, batch, migration_time);
            INSERT INTO \(history)(\(column ?? "?")) VALUES ('\(identifier)');
            """)
        let result = try Tool(folder: folder).run("verify", "--no-cache")
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains("1 step as custom"), "\(result.output)")
    }
}
