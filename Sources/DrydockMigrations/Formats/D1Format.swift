import DatabaseEngine
import DrydockFiles
import DrydockFindings
import SQLiteSchema

extension ToolProfile {
    static let d1 = ToolProfile(
        D1Format(),
        leaves: [],
        namedBy: WranglerConfig.names.map { .word("d1_databases", in: $0) },
        tables: ["d1_migrations": ["id", "name", "applied_at"], "_cf_KV": [], "_cf_METADATA": []])
}

/// Cloudflare D1, `wrangler d1 migrations apply`.
///
/// - Files are `NUMBER_NAME.sql`, ordered by the number; every file that is not in the history runs, whatever sorts
///   after it (workers-sdk, packages/wrangler/src/d1/migrations/helpers.ts).
/// - Each file runs as one batch with the INSERT into the history after it. A batch is a transaction: "If a statement
///   in the sequence fails, then an error is returned for that specific statement, and it aborts or rolls back the
///   entire sequence" (developers.cloudflare.com/d1/worker-api/d1-database/#batch).
/// - `migrations_dir` names the folder, `migrations` beside the configuration if it is not given: wrangler runs the SQL that
///   Drizzle generated like any other, the breakpoints being comments, and never reads its journal.
/// - Foreign keys are always on: "D1 enforces that foreign key constraints are valid within all queries and
///   migrations. This is identical to the behaviour of `PRAGMA foreign_keys = on`"; a migration may use
///   `defer_foreign_keys` (developers.cloudflare.com/d1/sql-api/foreign-keys).
/// - `d1_migrations(id, name, applied_at)`, or the table that `migrations_table` names, has the file's name; no
///   checksums, no way back.
public struct D1Format: NamedHistory {
    public let name = "d1"
    public var historyTable: String? = "d1_migrations"
    public let otherTables = ["_cf_KV", "_cf_METADATA"]
    public let policy = ToolPolicy(foreignKeys: true)

    public init() {}

    public var historySetup: [Bookkeeping] {
        [
            Bookkeeping(
                """
                CREATE TABLE IF NOT EXISTS \(quotedHistory)(
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    name TEXT UNIQUE,
                    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
                )
                """)
        ]
    }

    public var foreignKeysOffAdvice: String {
        """
        D1 never turns them off in a migration, and PRAGMA defer_foreign_keys = ON holds back checks, not ON DELETE.
        """
    }

    public let namingAdvice = "A migration is called NUMBER_NAME.sql, such as 0003_add_label.sql."

    public func owns(_ facts: HistoryFacts) -> Bool {
        facts.has(historyTable ?? "", "id", "name", "applied_at")
    }

    public func configured(for folder: FolderFiles) -> any MigrationFormat {
        WranglerConfig.naming(folder.path)?.database.table.map { keepingHistory(in: $0) } ?? self
    }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        let files = folder.files(matching: /\d+_.*\.sql/)
        if !files.isEmpty, let configuration = WranglerConfig.naming(folder.path) {
            return FolderEvidence(.configured, "migrations_dir", at: configuration.file)
        }
        if let package = Self.packageOfOnlyD1(above: folder), !files.isEmpty {
            return FolderEvidence(.configured, "wrangler, and no other driver,", at: package)
        }
        let isWhole =
            files.count == folder.sqlFiles.count && !files.contains { $0.lowercased().hasSuffix(".down.sql") }
        return files.first.map {
            FolderEvidence(isWhole ? .names : .possible, "NUMBER_NAME.sql", at: folder.file($0))
        }
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        var migrations: [Migration] = []
        for file in folder.files.filter({ $0.hasSuffix(".sql") }) {
            var migration = reader.migration(file, in: file, policy)
            migration.record = [
                Bookkeeping("INSERT INTO \(quotedHistory) (name) VALUES (?)", [SQLValue(file)])
            ]
            migrations.append(migration)
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try connection.history(in: historyTable ?? "", columns: "name") {
            AppliedHistory(
                try connection.rows("SELECT name FROM \(quotedHistory) ORDER BY id") { $0.string(0) })
        }
    }

    /// Returns the package.json of a folder that Drizzle filled, if wrangler is all there is to run its migrations. A Durable
    /// Object, like Expo, bundles them by a `migrations.js`.
    private static func packageOfOnlyD1(above folder: FolderFiles) -> String? {
        guard folder.exists("meta/_journal.json"), !folder.exists("migrations.js") else { return nil }
        for above in ProjectFolders.upwards(from: folder.path)
        where FolderListing.exists(above + "/package.json") {
            let packages = ProjectText(above + "/package.json").packages
            guard packages.contains("drizzle-orm") || packages.contains("wrangler") else { continue }
            let isOnly = packages.contains("wrangler") && packages.isDisjoint(with: sqliteDrivers)
            return isOnly ? ProjectFolders.shown(above + "/package.json") : nil
        }
        return nil
    }

    private static let sqliteDrivers: Set<String> = [
        "better-sqlite3", "@libsql/client", "@tursodatabase/database", "sql.js", "expo-sqlite",
        "@op-engineering/op-sqlite", "sqlite3", "bun-sqlite",
    ]
}
