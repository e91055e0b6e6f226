import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS
import SQLiteSchema

/// Creates databases that exist only in memory: an empty one, or a project's base.
package struct DatabaseMaker: Sendable {
    package let engine: any Engine
    package let settings: ConnectionSettings

    package init(engine: any Engine, settings: ConnectionSettings) {
        self.engine = engine
        self.settings = settings
    }

    /// Returns the database before the first migration.
    /// - Throws: ``SnapshotFault`` when the base cannot be read, ``RequestError`` when it does not exist.
    package func base(_ base: SchemaBase?) async throws -> Overlay {
        guard let base else { return try Overlay(emptyNamed: "fresh.sqlite") }
        guard FolderListing.exists(base.path) else {
            throw RequestError(.notFound, "there is no base '\(base.path)'; it is a database or a .sql file")
        }
        return try await SnapshotOpener(engine: engine, settings: settings).open(Snapshot(path: base.path))
    }

    /// Runs statements, then queries the database.
    package func run<Result: Sendable>(
        _ statements: [SQLStatement], on overlay: Overlay,
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        var settings = settings
        settings.foreignKeys = false
        settings.doubleQuotedStrings = true
        return try await engine.use(overlay, settings: settings) { database in
            try await database.withConnection { connection in
                for (index, statement) in statements.enumerated() {
                    try MigrationRun.run(statement, at: index, on: connection)
                }
                return try body(connection)
            }
        }
    }
}
