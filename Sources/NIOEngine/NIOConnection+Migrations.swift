import CSQLite
import DatabaseEngine

/// The same as GRDB's `DatabaseMigrator` does, without GRDB: an app's history is the same on both engines.
///
/// The step numbers are those of https://www.sqlite.org/lang_altertable.html#otheralter.
extension NIOConnection {
    func migrate(_ migrations: [EngineMigration]) throws -> [EngineMigration.Ran] {
        var seen: Set<String> = []
        for migration in migrations where !seen.insert(migration.identifier).inserted {
            throw EngineError(
                extendedCode: SQLITE_MISUSE, message: "two migrations are called '\(migration.identifier)'")
        }
        guard !migrations.isEmpty else { return [] }
        try execute("CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        let applied = Set(try rows("SELECT identifier FROM grdb_migrations") { $0.string(0) })
        let pending = migrations.filter { !applied.contains($0.identifier) }
        for migration in pending { try run(migration) }
        return pending.map { .init($0.identifier) }
    }

    private func run(_ migration: EngineMigration) throws {
        let isEnforced = try firstRow("PRAGMA foreign_keys") { $0.integer(0) } == 1
        guard isEnforced, migration.foreignKeyChecks != .immediate else {
            return try runInTransaction(migration, isChecked: false)
        }
        // 1. If foreign key constraints are enabled, disable them.
        try execute("PRAGMA foreign_keys = OFF")
        // 12. Reenable them, whatever happened.
        defer { restore("PRAGMA foreign_keys = ON") }
        try runInTransaction(migration, isChecked: migration.foreignKeyChecks == .deferred)
    }

    private func runInTransaction(_ migration: EngineMigration, isChecked: Bool) throws {
        // 2. Start a transaction.
        try execute("BEGIN IMMEDIATE")
        defer { rollBack() }
        try migration.body(self)
        let insertion = try prepare("INSERT INTO grdb_migrations (identifier) VALUES (?)")
        try insertion.reset(binding: [SQLValue(migration.identifier)])
        _ = try insertion.step()
        // 10. Verify that no constraint is broken.
        if isChecked {
            try forEachRow("PRAGMA foreign_key_check") { _ in throw EngineError.foreignKeyCheck }
        }
        // 11. Commit.
        try execute("COMMIT")
    }
}
