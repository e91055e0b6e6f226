import DrydockMigrations
import DatabaseEngine
import SQLiteSchema
import Synchronization

/// Runs one migration on an open database, statement by statement, as its tool would.
package struct MigrationRun: Sendable {
    let migration: Migration
    var foreignKeyChecks: EngineMigration.ForeignKeyChecks

    /// The seconds that each statement took.
    private let seconds = SecondsRecorder()

    package init(_ migration: Migration, foreignKeyChecks: EngineMigration.ForeignKeyChecks? = nil) {
        self.migration = migration
        self.foreignKeyChecks = foreignKeyChecks ?? migration.foreignKeyChecks
    }

    package struct Applied: Sendable {
        /// The migration as it ran: with the statements of this run where the engine ran its own code.
        package var migration: Migration
        /// The seconds of each statement; empty where the engine ran its own code.
        package var seconds: [Double]
    }

    /// - Throws: ``StatementFailure`` for a statement, ``EngineError`` for the engine's work around the statements.
    package func apply(to database: any OpenDatabase) async throws -> Applied {
        guard let ran = try await database.migrate([engineMigration]).first else {
            throw EngineError(
                .constraint, "the history had it before it ran: an earlier migration wrote it there")
        }
        var migration = migration
        if let statements = ran.statements { migration.take(statements) }
        return Applied(migration: migration, seconds: seconds.values.withLock { $0 })
    }

    var engineMigration: EngineMigration {
        let (migration, seconds) = (migration, seconds)
        return EngineMigration(identifier: migration.identifier, foreignKeyChecks: foreignKeyChecks) {
            connection in
            for (index, statement) in migration.statements.enumerated() {
                let start = ContinuousClock.now
                try Self.run(statement, at: index, on: connection)
                seconds.values.withLock { $0.append((ContinuousClock.now - start).inSeconds) }
            }
        }
    }

    static func run(_ statement: SQLStatement, at index: Int, on connection: any Connection) throws {
        do {
            try Sandbox.check(statement)
        } catch let error as EngineError {
            throw StatementFailure(index: index, error: error, mayQuoteValues: false)
        }
        do {
            try Sandbox.run(statement, on: connection)
        } catch let error as EngineError where !error.isInterrupt {
            // A statement that compiles failed because of the database's content.
            let compiles = (try? connection.prepare(statement.executedText)) != nil
            throw StatementFailure(index: index, error: error, mayQuoteValues: compiles)
        }
    }

    private final class SecondsRecorder: Sendable {
        let values = Mutex<[Double]>([])
    }
}

/// A statement that SQLite refused.
package struct StatementFailure: Error {
    /// The statement's index in the migration, from zero.
    package var index: Int
    package var error: EngineError
    /// Whether the message may quote values of a row.
    package var mayQuoteValues: Bool

    package init(index: Int, error: EngineError, mayQuoteValues: Bool) {
        self.index = index
        self.error = error
        self.mayQuoteValues = mayQuoteValues
    }
}

extension Duration {
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
