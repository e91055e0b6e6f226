import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import SQLiteSchema
import Synchronization

/// Runs one migration on an open database, statement by statement, as its tool would.
package struct MigrationRun: Sendable {
    package let migration: Migration
    package var foreignKeyChecks: EngineMigration.ForeignKeyChecks
    /// Whether it is noted which statements find rows.
    package let notesIdle: Bool

    private let recorder = Recorder()

    package init(
        _ migration: Migration, foreignKeyChecks: EngineMigration.ForeignKeyChecks? = nil,
        notesIdle: Bool = false
    ) {
        self.migration = migration
        self.foreignKeyChecks = foreignKeyChecks ?? migration.foreignKeyChecks
        self.notesIdle = notesIdle
    }

    package struct Applied: Sendable {
        /// The migration as it ran: with the statements of this run where the engine ran its own code.
        package var migration: Migration
        /// The seconds of each statement; empty where the engine ran its own code.
        package var seconds: [Double]
        /// The statements that chose rows and found none, by index; nil where that is not known.
        var idle: Set<Int>?
    }

    /// - Throws: ``StatementFailure`` for a statement, ``EngineError`` for the engine's work around the statements.
    package func apply(to database: any OpenDatabase) async throws -> Applied {
        guard let ran = try await database.migrate([engineMigration]).first else {
            throw EngineError(
                .constraint, "it was in the history before it ran: an earlier migration recorded it")
        }
        var migration = migration
        if let statements = ran.statements { migration.take(statements) }
        let (seconds, idle) = recorder.values.withLock { $0 }
        return Applied(
            migration: migration, seconds: seconds, idle: notesIdle && ran.statements == nil ? idle : nil)
    }

    var engineMigration: EngineMigration {
        let (migration, recorder, notesIdle) = (migration, recorder, notesIdle)
        return EngineMigration(identifier: migration.identifier, foreignKeyChecks: foreignKeyChecks) {
            connection in
            for (index, statement) in migration.statements.enumerated() {
                let start = ContinuousClock.now
                let meeting = notesIdle ? RowMeeting(statement, on: connection) : nil
                try Self.run(statement, at: index, on: connection)
                let isIdle = meeting?.foundNothing ?? false
                recorder.values.withLock {
                    $0.seconds.append((ContinuousClock.now - start).inSeconds)
                    if isIdle { $0.idle.insert(index) }
                }
            }
        }
    }

    package static func run(_ statement: SQLStatement, at index: Int, on connection: any Connection) throws {
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

    /// The seconds that each statement took, and the indexes of those that chose rows and found none.
    private final class Recorder: Sendable {
        let values = Mutex<(seconds: [Double], idle: Set<Int>)>(([], []))
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

    /// What SQLite says, with what may be of a row marked.
    package var sentence: Sentence { mayQuoteValues ? error.sentence : Sentence(error.message) }
}

extension Sentence {
    /// What is said of a migration's failure: only a statement's own can be about a row.
    package init(of failure: any Error) {
        switch failure {
        case let failure as StatementFailure: self = failure.sentence
        case let failure as RunnerFailure: self.init(of: failure.error)
        case let error as EngineError: self.init(error.message)
        default: self.init(String(describing: failure))
        }
    }
}

extension Duration {
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
