import DrydockFindings

/// A tool whose migrations are code: Drydock knows it by its files, and cannot read them.
package struct ForeignTool: Sendable, Hashable {
    package let name: String
    /// How its own commands give the SQL, in sentences.
    package let recipe: String
    /// What describes its folder of SQL in drydock.yml; empty if another format reads what the recipe gives.
    package let settings: [String]
    /// What says in drydock.yml how `verify` runs its own command; empty if it has none.
    package let command: [String]
    /// What the project must have for that: a sentence, then code.
    package let preparation: [String]

    private init(
        _ name: String, _ recipe: String, _ settings: [String] = [], command: [String] = [],
        needs preparation: [String] = []
    ) {
        (self.name, self.recipe, self.settings) = (name, recipe, settings)
        (self.command, self.preparation) = (
            command.isEmpty ? [] : ["migrate:"] + command.map { "  " + $0 }, preparation
        )
    }

    package static func == (a: ForeignTool, b: ForeignTool) -> Bool { a.name == b.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Returns `custom:` for a folder `sql` of what the tool printed.
    private static func custom(
        _ table: String, _ query: String, transaction: String, foreignKeys: Bool,
        identifier: String? = nil, isNewestOnly: Bool = false, record: String? = nil
    ) -> [String] {
        ["migrations: sql", "custom:", "  files: '(?<version>.+)[.]sql'"]
            + (identifier.map { ["  identifier: '\($0)'"] } ?? [])
            + [
                "  transaction: \(transaction)", "  foreignKeys: \(foreignKeys)", "  history:",
                "    table: '\(table)'", "    query: \"\(query)\"",
            ] + (isNewestOnly ? ["    newest: true"] : [])
            + (record.map { ["    record: \"INSERT INTO \(table)\($0)\""] } ?? [])
    }

    /// `sqlmigrate` prints BEGIN and COMMIT around what is atomic (django/db/backends/base/schema.py); foreign keys are off
    /// meanwhile (django/db/backends/sqlite3/schema.py, `__enter__`).
    static let django = ForeignTool(
        "Django",
        "'python manage.py sqlmigrate APP NAME' prints the SQL of a migration: write that of each into a folder, as "
            + "sql/0001_initial.sql.",
        custom(
            "django_migrations", "SELECT name FROM django_migrations WHERE app = 'APP'", transaction: "none",
            foreignKeys: false,
            record: "(app, name, applied) VALUES ('APP', :version, datetime('now'))"),
        command: [
            #"command: python manage.py migrate ${DRYDOCK_MIGRATION%%.*} ${DRYDOCK_MIGRATION#*.}"#,
            #"list: python manage.py showmigrations --plan"#,
        ],
        needs: [
            #"settings.py must first take the path from DRYDOCK_DATABASE:"#,
            #""NAME": os.environ.get("DRYDOCK_DATABASE", BASE_DIR / "db.sqlite3")"#,
        ]
    )
    /// alembic.sqlalchemy.org/en/latest/offline.html.
    static let alembic = ForeignTool(
        "Alembic",
        "'alembic upgrade FROM:TO --sql' prints the SQL between two revisions (the first is 'base'): write that of each "
            + "revision into a folder, as sql/REVISION.sql. The names must sort as the revisions follow each other; "
            + "'alembic revision --rev-id 0007' names the next.",
        custom(
            "alembic_version", "SELECT version_num FROM alembic_version", transaction: "none",
            foreignKeys: false, isNewestOnly: true),
        command: [
            #"command: alembic upgrade ${DRYDOCK_MIGRATION:-head}"#,
            #"list: alembic history | sed 's/.* -> //; s/[ ,].*//' | sed '1!G;h;$!d'"#,
            #"database: sqlite:///$DRYDOCK_DATABASE"#,
        ],
        needs: [
            #"env.py must first take the URL from DATABASE_URL where it is set:"#,
            #"if url := os.environ.get("DATABASE_URL"): config.set_main_option("sqlalchemy.url", url)"#,
        ]
    )
    /// guides.rubyonrails.org/active_record_migrations.html, "Types of Schema Dumps".
    static let rails = ForeignTool(
        "Rails",
        "with config.active_record.schema_format = :sql, 'bin/rails db:migrate VERSION=N' writes db/structure.sql as "
            + "version N has it. Keep one for each release: 'drydock diff OLD.sql NEW.sql' compares them, and with --sql "
            + "writes a migration whose SQL is proved. Migrations as SQL go into a folder, as sql/VERSION.sql.",
        custom(
            "schema_migrations", "SELECT version FROM schema_migrations", transaction: "each",
            foreignKeys: true,
            record: "(version) VALUES (:version)"
        ),
        command: [
            #"command: bin/rails db:migrate"#,
            #"database: sqlite3:$DRYDOCK_DATABASE"#,
        ],
        needs: [#"Rails takes the path from DATABASE_URL."#])
    /// hexdocs.pm/ecto_sql/Mix.Tasks.Ecto.Migrate.html.
    static let ecto = ForeignTool(
        "Ecto",
        "'mix ecto.migrate --log-migrations-sql' on an empty database logs the SQL of each migration: write it into a "
            + "folder, as sql/VERSION.sql.",
        custom(
            "schema_migrations", "SELECT version FROM schema_migrations", transaction: "each",
            foreignKeys: true,
            record: "(version, inserted_at) VALUES (:version, datetime('now'))"
        ),
        command: [
            #"command: mix ecto.migrate"#,
            #"database: $DATABASE_PATH"#,
        ],
        needs: [#"The configuration must first take the path from DATABASE_PATH."#])
    /// laravel.com/docs/migrations, "Running Migrations".
    static let laravel = ForeignTool(
        "Laravel",
        "'php artisan migrate --pretend' on an empty database prints the SQL of each migration: write it into a folder, "
            + "as sql/NAME.sql.",
        custom(
            "migrations", "SELECT migration FROM migrations", transaction: "none", foreignKeys: true,
            record: "(migration, batch) VALUES (:version, 1)"),
        command: [
            #"command: php artisan migrate --force"#,
            #"database: $DB_DATABASE"#,
            #"environment: {DB_CONNECTION: sqlite}"#,
        ],
        needs: [#"Laravel takes the path from DB_DATABASE."#])
    /// knex has no command that only prints (knex/knex#2580); its queries are logged by `debug`.
    static let knex = ForeignTool(
        "Knex",
        "'DEBUG=knex:query npx knex migrate:latest' on an empty database logs the SQL: write that of each migration into "
            + "a folder, as sql/NAME.sql. The history has the file's whole name, here with .js.",
        custom(
            "knex_migrations", "SELECT name FROM knex_migrations", transaction: "each", foreignKeys: false,
            identifier: "${version}.js",
            record: "(name, batch, migration_time) VALUES (:version, 1, 0)"),
        command: [
            #"command: npx knex migrate:latest"#,
            #"database: $DATABASE_PATH"#,
        ],
        needs: [
            #"knexfile.js must first take the path from DATABASE_PATH:"#,
            #"filename: process.env.DATABASE_PATH"#,
        ])
    /// sequelize-cli has no command that only prints (sequelize/cli#219); `logging` in its configuration does.
    static let sequelize = ForeignTool(
        "Sequelize",
        "with logging: true in its configuration, 'npx sequelize-cli db:migrate' on an empty database logs the SQL: write "
            + "that of each migration into a folder, as sql/NAME.sql. The history has the file's whole name, here with .js.",
        custom(
            "SequelizeMeta", "SELECT name FROM SequelizeMeta", transaction: "none", foreignKeys: true,
            identifier: "${version}.js",
            record: "(name) VALUES (:version)"),
        command: [
            #"command: npx sequelize-cli db:migrate --url "sqlite:$DRYDOCK_DATABASE""#
        ])
    /// Its runner turns foreign keys off around migrations (AbstractSqliteQueryRunner.ts, `beforeMigration`).
    static let typeORM = ForeignTool(
        "TypeORM",
        "with logging: true in the data source, 'npx typeorm migration:run -d DATASOURCE' on an empty database logs the "
            + "SQL: write that of each migration into a folder, as sql/TIMESTAMP.sql.",
        custom(
            "migrations", "SELECT timestamp FROM migrations", transaction: "all", foreignKeys: false,
            record: "(timestamp, name) VALUES (:version, :version)"),
        command: [
            #"command: npx typeorm migration:run -d DATASOURCE"#,
            #"database: $DATABASE_PATH"#,
        ],
        needs: [
            #"The data source must first take the path from DATABASE_PATH:"#,
            #"database: process.env.DATABASE_PATH"#,
        ])
    /// The script has its own BEGIN, COMMIT and INSERT into the history.
    static let entityFramework = ForeignTool(
        "EF Core",
        "'dotnet ef migrations script FROM TO -o sql/TO.sql' writes the SQL between two migrations (the first is 0), its "
            + "own transaction and history included: write one file for each migration.",
        custom(
            "__EFMigrationsHistory", "SELECT MigrationId FROM __EFMigrationsHistory", transaction: "none",
            foreignKeys: true),
        command: [
            #"command: dotnet ef database update --connection "Data Source=$DRYDOCK_DATABASE""#
        ])
    static let room = ForeignTool(
        "Room",
        "set room.schemaLocation (or schemaDirectory of the Room plugin) and build: Room then exports a schema for each "
            + "version, and --migrations names the folder of 1.json, 2.json. Snapshots are compared with them."
    )
    static let drift = ForeignTool(
        "Drift",
        "'dart run drift_dev schema dump lib/database.dart drift_schemas/' exports the schema of the version: keep one for "
            + "each, and --migrations names the folder of drift_schema_v1.json. Snapshots are compared with them."
    )
    static let go = ForeignTool("Go", code)
    static let kotlin = ForeignTool("Kotlin", code)
    static let script = ForeignTool("JavaScript", code)

    private static let code =
        "log the SQL that the app's migrations send to an empty database, and write that of each into a folder of its own, "
        + "as sql/0001_name.sql; --migrations names the folder, and 'custom:' in drydock.yml says where the history is. Or "
        + "verify runs a command of yours that migrates a database: 'migrate: command' in drydock.yml."

    /// Returns the tool that a command line starts, by the name of its program.
    package static func running(_ command: String) -> ForeignTool? {
        let programs = [
            ("manage.py", django), ("django-admin", django), ("alembic", alembic), ("rails", rails),
            ("ecto", ecto),
            ("artisan", laravel), ("knex", knex), ("sequelize", sequelize), ("typeorm", typeORM),
            ("ef", entityFramework),
        ]
        let words = command.split { $0.isWhitespace || $0 == "/" || $0 == ";" || $0 == "&" }
        return programs.first { words.contains(Substring($0.0)) }?.1
    }

    /// What the project must have so that its command opens the copy; nil where it needs nothing.
    package var remedy: String? {
        guard let first = preparation.first else { return nil }
        return ([first] + preparation.dropFirst().map { "  " + $0 }).joined(separator: "\n")
    }

    package static let all = [
        django, alembic, rails, ecto, laravel, entityFramework, knex, sequelize, typeORM, room, drift, go,
        kotlin,
        script,
    ]

    /// Returns whether a folder has this tool's migrations.
    func isIn(_ folder: FolderGlance) -> Bool {
        let isForMigrations = folder.isForMigrations
        return switch self {
        case .django: isForMigrations && folder.files.contains("__init__.py") && folder.hasNumbered(".py")
        case .alembic: folder.files.contains("env.py") && folder.folders.contains("versions")
        case .rails: isForMigrations && folder.hasNumbered(".rb")
        case .ecto: isForMigrations && folder.hasNumbered(".exs")
        case .laravel: isForMigrations && folder.hasNumbered(".php")
        case .entityFramework: folder.files.contains { $0.hasSuffix("ModelSnapshot.cs") }
        case .go: isForMigrations && folder.hasNumbered(".go")
        case .kotlin: isForMigrations && folder.files.contains { $0.hasSuffix(".kt") }
        case .script:
            isForMigrations
                && [".js", ".ts", ".mjs", ".cjs", ".mts", ".cts"].contains { folder.hasNumbered($0) }
        case .room:
            ["build.gradle", "build.gradle.kts"].contains {
                folder.files.contains($0) && folder.says(["androidx.room"], in: $0)
            }
        case .drift: folder.files.contains("pubspec.yaml") && folder.says(["\n  drift:"], in: "pubspec.yaml")
        default: false
        }
    }

    /// Returns the tool whose scripts they are, where several have such.
    func named(by folder: String) -> ForeignTool {
        guard self == .script else { return self }
        let tools = [Self.knex, .sequelize, .typeORM]
        let found = ToolTrace.nearest(to: folder, among: Set(tools.map(\.name)))
        return tools.first { found?.places[$0.name] != nil } ?? self
    }

    /// The recipes as lines below an error: its own command for `verify`, SQL for everything.
    package var help: String {
        var lines: [String] = []
        if !command.isEmpty {
            lines += Self.wrapped("verify can run \(name)'s own command, on private copies of the snapshots.")
            lines += preparation.prefix(1).flatMap(Self.wrapped)
            lines += preparation.dropFirst().map { "  " + $0 }
            lines += [preparation.isEmpty ? "drydock.yml then says:" : "Then drydock.yml says:"]
            lines += command.map { "  " + $0 }
            lines += ["As SQL, which lint and lock read too:"]
        }
        lines += Self.wrapped(recipe)
        if !settings.isEmpty { lines += ["drydock.yml then says:"] + settings.map { "  " + $0 } }
        return "  help: " + lines.joined(separator: "\n        ")
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= Self.width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    private static let width = 92
}
