import DrydockFindings
import DatabaseEngine
import Foundation
import SQLiteSchema

extension ToolProfile {
    static let diesel = ToolProfile(
        DieselFormat(),
        leaves: [.step("up.sql", others: ["down.sql"], isOfCrate: true)],
        namedBy: [.crate("diesel"), .exists("diesel.toml")],
        tables: ["__diesel_schema_migrations": ["version", "run_on"]],
        history: CommandHistory(
            "__diesel_schema_migrations", ["version"],
            "SELECT version FROM __diesel_schema_migrations ORDER BY version"))
}

/// Diesel (https://diesel.rs), `diesel migration` and `embed_migrations!`.
///
/// - A migration is a folder with `up.sql` and optionally `down.sql`; its version is the part of the folder's name
///   before the first `_`, without `-`. Migrations run in the order of their versions as text
///   (migrations_internals/src/lib.rs, `version_from_string`; diesel_migrations/src/migration_harness.rs).
/// - Each runs in one transaction with its bookkeeping, unless `metadata.toml` beside it says
///   `run_in_transaction = false` (file_based_migrations.rs). All that are not applied run, whatever sorts after them.
///   An empty `up.sql` is an error in the command line tool and is accepted when embedded.
/// - Diesel does not set foreign keys: SQLite's default, off. A bundled libsqlite3-sys turns them on
///   (`SQLITE_DEFAULT_FOREIGN_KEYS=1` in its build.rs), unless the app turns them off to migrate, as apps that
///   rebuild tables do: `foreignKeys: true` says that this app does not.
/// - `__diesel_schema_migrations(version, run_on)`; no checksums.
public struct DieselFormat: MigrationFormat {
    public let name = "diesel"
    public let historyTable: String? = "__diesel_schema_migrations"
    public let policy = ToolPolicy(foreignKeys: false)
    public let runsOnAppsConnection = true

    public init() {}

    public var historySetup: [Bookkeeping] {
        [
            Bookkeeping(
                """
                CREATE TABLE IF NOT EXISTS __diesel_schema_migrations (
                       version VARCHAR(50) PRIMARY KEY NOT NULL,
                       run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
                )
                """)
        ]
    }

    public var foreignKeysOffAdvice: String {
        "Write 'run_in_transaction = false' into metadata.toml beside the file, PRAGMA foreign_keys = OFF before a BEGIN of "
            + "its own, and PRAGMA foreign_keys = ON after its COMMIT."
    }

    public let namingAdvice = "A migration is a folder with a file up.sql."

    public func owns(_ facts: HistoryFacts) -> Bool {
        facts.has("__diesel_schema_migrations", "version", "run_on")
    }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        folder.folders.first { folder.exists($0 + "/up.sql") }.map {
            FolderEvidence(folder.sqlFiles.isEmpty ? .layout : .possible, "up.sql", at: folder.file($0))
        }
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        let steps = folder.folders.filter { folder.exists($0 + "/up.sql") }
            .map { (folder: $0, version: Self.version($0)) }
            .sorted { Array($0.version.utf8).lexicographicallyPrecedes(Array($1.version.utf8)) }
        var migrations: [Migration] = []
        for step in steps {
            let metadata = step.folder + "/metadata.toml"
            let isOpen = folder.text(metadata).map(Self.optsOut) ?? false
            var migration = reader.migration(step.version, in: step.folder + "/up.sql", policy) { source in
                .init(up: source.statements(), transaction: isOpen ? ToolPolicy.Transaction.none : nil)
            }
            migration.companion = folder.file(metadata)
            migration.record = [
                Bookkeeping(
                    "INSERT INTO __diesel_schema_migrations (version) VALUES (?)", [SQLValue(step.version)])
            ]
            migration.unrecord = [
                Bookkeeping(
                    "DELETE FROM __diesel_schema_migrations WHERE version = ?", [SQLValue(step.version)])
            ]
            migration.down = reader.down(
                in: step.folder + "/down.sql", of: step.version, transaction: migration.transaction)
            migrations.append(migration)
        }
        for name in folder.folders where !folder.exists(name + "/up.sql") {
            let path = folder.file(name)
            reader.note(
                Finding(
                    .nothingVerified, .warning, "\(path) has no up.sql and is not read",
                    help: "diesel refuses a folder in which a migration has no up.sql.",
                    place: .init(file: path)))
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try connection.history(in: "__diesel_schema_migrations", columns: "version") {
            AppliedHistory(
                try connection.rows("SELECT version FROM __diesel_schema_migrations") { $0.string(0) })
        }
    }

    private static func version(_ folder: String) -> String {
        String(folder.prefix { $0 != "_" }).replacing("-", with: "")
    }

    private static func optsOut(_ metadata: String) -> Bool {
        metadata.contains(/(?m)^\s*run_in_transaction\s*=\s*false\b/)
    }
}
