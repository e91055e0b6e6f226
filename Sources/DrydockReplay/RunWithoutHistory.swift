import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// Runs a step's statements on a fork of the state before it, without what its tool would record.
struct RunWithoutHistory: Sendable {
    let migration: Migration
    let before: DatabaseState
    let engine: any Engine
    let inspector: StateInspector

    /// Returns the resulting state.
    /// - Throws: ``StatementFailure``, ``EngineError``.
    func image() async throws -> Image {
        let overlay = try Overlay(before.image)
        var settings = inspector.settings
        settings.foreignKeys = migration.enforcesForeignKeys
        let migration = migration
        try await engine.use(overlay, settings: settings) { database in
            try await database.withConnection { connection in
                if migration.transaction != .none { try connection.execute("BEGIN IMMEDIATE") }
                for (index, statement) in migration.statements.enumerated() {
                    try MigrationRun.run(statement, at: index, on: connection)
                }
                if connection.isInTransaction { try connection.execute("COMMIT") }
                try connection.checkpoint()
            }
        }
        return overlay.freeze().image
    }
}
