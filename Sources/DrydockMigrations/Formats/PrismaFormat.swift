import DrydockFindings
import Crypto
import DatabaseEngine
import Foundation
import SQLiteSchema

extension ToolProfile {
    static let prisma = ToolProfile(
        PrismaFormat(),
        leaves: [.file("migration_lock.toml", databaseKey: "provider"), .step("migration.sql")],
        namedBy: [.packages("prisma", "@prisma/client")],
        tables: [
            "_prisma_migrations": [
                "id", "checksum", "finished_at", "migration_name", "rolled_back_at", "started_at",
                "applied_steps_count",
            ]
        ],
        history: CommandHistory(
            "_prisma_migrations", ["migration_name", "finished_at", "rolled_back_at"],
            """
            SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL \
            ORDER BY started_at
            """))
}

/// Prisma Migrate (https://www.prisma.io/docs/orm/prisma-migrate).
///
/// - A migration is a folder with `migration.sql`, in the order of the folders' names as text;
///   `migration_lock.toml` names the provider (prisma-engines, schema-engine/core).
/// - Prisma opens no transaction around a file on SQLite: it passes the script to SQLite unchanged
///   (schema-engine/connectors/sql-schema-connector, flavour/sqlite.rs, `raw_cmd`). So the `PRAGMA foreign_keys=OFF`
///   that it writes into a rebuild takes effect.
/// - Foreign keys are on: the bundled SQLite is built with `SQLITE_DEFAULT_FOREIGN_KEYS=1` (libsqlite3-sys).
/// - `_prisma_migrations(id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at,
///   applied_steps_count)`: a migration is applied if it is finished and not rolled back. A failed one stops every
///   run (P3009). The checksum is SHA-256 of the file; if it differs, `migrate deploy` only warns and `migrate dev`
///   asks to reset the database.
/// - There is no way back: Prisma has no down migrations.
public struct PrismaFormat: MigrationFormat {
    public let name = "prisma"
    public let historyTable: String? = "_prisma_migrations"
    public let policy = ToolPolicy(transaction: .none, foreignKeys: true, edited: .accept)
    public let checksums = ChecksumScope.bytes

    public init() {}

    public var historySetup: [Bookkeeping] {
        [
            Bookkeeping(
                """
                CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
                    "id"                    TEXT PRIMARY KEY NOT NULL,
                    "checksum"              TEXT NOT NULL,
                    "finished_at"           DATETIME,
                    "migration_name"        TEXT NOT NULL,
                    "logs"                  TEXT,
                    "rolled_back_at"        DATETIME,
                    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
                    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
                )
                """)
        ]
    }

    public var foreignKeysOffAdvice: String {
        "Prisma opens no transaction: write PRAGMA foreign_keys = OFF before the statement and PRAGMA foreign_keys = ON at "
            + "the end of the file."
    }

    public let namingAdvice = "A migration is a folder with a file migration.sql."

    public func owns(_ facts: HistoryFacts) -> Bool {
        facts.has("_prisma_migrations", "migration_name", "finished_at", "checksum")
    }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        if folder.exists("migration_lock.toml") {
            return FolderEvidence(.marker, "a lock file", at: folder.file("migration_lock.toml"))
        }
        return folder.folders.first { folder.exists($0 + "/migration.sql") }.map {
            FolderEvidence(
                folder.sqlFiles.isEmpty ? .layout : .possible, "migration.sql", at: folder.file($0))
        }
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        var migrations: [Migration] = []
        for step in folder.folders.sorted(by: { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }) {
            let file = step + "/migration.sql"
            var migration = reader.migration(step, in: file, policy)
            let bytes = reader.bytes(file)
            let checksum = SHA256.digest(of: bytes).hex
            migration.checksum = checksum
            migration.checksumsOfLineEndings = MigrationReader.otherLineEndings(bytes).map {
                SHA256.digest(of: $0).hex
            }
            let id = SQLValue(UUID().uuidString.lowercased())
            migration.record = [
                Bookkeeping(
                    "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) "
                        + "VALUES (?, ?, ?, 1000 * strftime('%s', 'now'), 1)",
                    [id, SQLValue(checksum), SQLValue(step)])
            ]
            migration.unfinishedMark = unfinishedMark(step, checksum, id, migration.record)
            migrations.append(migration)
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
    }

    /// A row without `finished_at` is committed before a file runs, and a start where there is one ends with P3009
    /// (prisma-engines, schema-engine/core/src/commands/apply_migrations.rs; `migrate resolve` in
    /// commands/mark_migration_applied.rs and mark_migration_rolled_back.rs).
    private func unfinishedMark(
        _ name: String, _ checksum: String, _ id: SQLValue, _ applied: [Bookkeeping]
    ) -> UnfinishedMark {
        let rolledBack = Bookkeeping(
            "UPDATE _prisma_migrations SET rolled_back_at = 1000 * strftime('%s', 'now') "
                + "WHERE migration_name = ? AND finished_at IS NULL AND rolled_back_at IS NULL",
            [SQLValue(name)])
        return UnfinishedMark(
            begun: [
                Bookkeeping(
                    "INSERT INTO _prisma_migrations (id, checksum, migration_name) "
                        + "VALUES (lower(hex(randomblob(16))), ?, ?)", [SQLValue(checksum), SQLValue(name)])
            ],
            finished: [
                Bookkeeping(
                    "UPDATE _prisma_migrations SET finished_at = 1000 * strftime('%s', 'now'), applied_steps_count = 1 "
                        + "WHERE migration_name = ? AND finished_at IS NULL AND rolled_back_at IS NULL",
                    [SQLValue(name)])
            ],
            waysOut: [
                .init("prisma migrate resolve --rolled-back \(name)", [rolledBack]),
                .init("prisma migrate resolve --applied \(name)", [rolledBack] + applied),
            ])
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try connection.history(in: "_prisma_migrations", columns: "migration_name", "finished_at") {
            var history = AppliedHistory([])
            try connection.forEachRow(
                "SELECT migration_name, checksum, finished_at, rolled_back_at FROM _prisma_migrations "
                    + "ORDER BY started_at"
            ) { row in
                guard row.isNull(3) else { return }
                let name = row.string(0)
                if row.isNull(2) { history.refusal = "\(name) failed halfway (P3009)" }
                history.identifiers.append(name)
                history.checksums[name] = row.string(1)
            }
            return history
        }
    }
}
