import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS
import SQLiteSchema

/// A fork of the state before a step, on which the step's statements are run again one by one to see what each does.
///
/// The state before is attached beside it, so that rows can be compared. What is written here is discarded.
package struct StepFork: Sendable {
    package let migration: Migration
    package let before: DatabaseState
    package let engine: any Engine
    package let inspector: StateInspector

    package init(migration: Migration, before: DatabaseState, engine: any Engine, inspector: StateInspector) {
        self.migration = migration
        self.before = before
        self.engine = engine
        self.inspector = inspector
    }

    /// The schema name of the state before.
    static let beforeSchema = "before_step"

    /// Opens the fork, and a transaction where the tool opens one.
    /// - Throws: the errors of `body`, and ``EngineError``.
    package func withConnection<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        let overlay = try Overlay(before.image)
        var settings = inspector.settings
        settings.foreignKeys = migration.enforcesForeignKeys
        let uri = overlay.attach(before.image)
        let opensTransaction = migration.transaction != .none
        return try await engine.use(overlay, settings: settings) { database in
            try await database.withConnection { connection in
                try connection.execute("ATTACH \(quotedText(uri)) AS \(Self.beforeSchema)")
                if opensTransaction { try connection.execute("BEGIN IMMEDIATE") }
                defer { if connection.isInTransaction { try? connection.execute("ROLLBACK") } }
                return try body(connection)
            }
        }
    }

    /// Runs the statements before an index, or all of them where it is past the last.
    /// - Parameter ran: called after each statement, with its index.
    /// - Throws: ``StatementFailure``, ``EngineError``, and the errors of `ran`.
    package func run(
        upTo end: Int? = nil, on connection: any Connection, ran: (Int) throws -> Void = { _ in }
    ) throws {
        for (index, statement) in migration.statements.prefix(end ?? .max).enumerated() {
            try MigrationRun.run(statement, at: index, on: connection)
            try ran(index)
        }
    }
}
