import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import Foundation
import SQLiteSchema

/// What a process that has loaded another SQLite library is to do.
package enum LibraryJob: Codable, Sendable {
    /// Say what a file is, without using it otherwise.
    case describe(path: String)
    /// Say which library this process has.
    case identify
    case run(RepeatedBatch)

    /// What it has to say.
    package struct Answer: Codable, Sendable {
        /// The library of the process, at the path from which it was loaded.
        var library: SQLiteBuild
        var described: SQLiteBuild?
        var fault: SQLiteBuildFault?
        var outcome: RepeatedBatch.Outcome?
        /// Why the work could not be done.
        var error: String?
    }
}

/// A batch of migrations, with all that its run depends on.
package struct RepeatedBatch: Codable, Sendable {
    var engine: String
    /// Where the state before it is: the file below, if there is one, and what differs from that.
    var base: String?
    var name: String
    package var state: String
    /// The time and the random numbers that it sees.
    var time: Int64
    var seed: UInt64
    var foreignKeys: Bool
    var doubleQuotedStrings: Bool?
    var functions: [FunctionStub]
    var collations: [CollationStub]
    var standIns = StandIns()
    var setup: [String]
    /// The limits: the time that is left, memory and what may be written in bytes; nil for none.
    var seconds: Double?
    var memory: Int?
    var written: Int?
    var policy: ToolPolicy
    var historySetup: [Bookkeeping]
    var migrations: [Step]
    /// The state before, and each that is reached, on the usual library.
    var uses: [Use]

    /// How a state is used on the usual library.
    struct Use: Codable, Sendable {
        /// The statements that compile.
        var statements: [String] = []
        /// The tables whose computed values are compared.
        var computed: [ComputedTable] = []
    }

    /// A migration, as far as it is run.
    struct Step: Codable, Sendable {
        var identifier: String
        var path: String
        var statements: [String]
        var transaction: ToolPolicy.Transaction
        var foreignKeys: Bool
        var isDeferred: Bool
        var checks: Checks
        var record: [Bookkeeping]

        enum Checks: Codable { case deferred, immediate, disabled }

        init(_ migration: Migration) {
            (identifier, path) = (migration.identifier, migration.path)
            statements = migration.statements.map(\.executedText)
            (transaction, foreignKeys) = (migration.transaction, migration.foreignKeys)
            (isDeferred, record) = (migration.isDeferred, migration.record)
            checks =
                switch migration.foreignKeyChecks {
                case .deferred: .deferred
                case .immediate: .immediate
                case .disabled: .disabled
                }
        }

        var migration: Migration {
            var migration = Migration(
                identifier: identifier, path: path,
                statements: statements.flatMap { SQLSource(name: path, $0).statements() })
            (migration.transaction, migration.foreignKeys) = (transaction, foreignKeys)
            (migration.isDeferred, migration.record) = (isDeferred, record)
            migration.closureChecks =
                switch checks {
                case .deferred: .deferred
                case .immediate: .immediate
                case .disabled: .disabled
                }
            return migration
        }
    }

    /// What came of it.
    struct Outcome: Codable, Sendable {
        var reached: [Reached] = []
        var failure: Failure?
        /// The computed values at the state before.
        var computed: [ComputedTable.Values?] = []
        /// Why the database could not even be opened.
        var unreadable: String?
    }

    /// A state, in a file that says how it differs from the one before.
    struct Reached: Codable, Sendable {
        var migrations: [String]
        var state: String
        var pages: [UInt32]
        /// The statements that do not compile and did before, and why.
        var refused: [Refusal] = []
        /// What is computed for each of the tables that were named; nil where it cannot be.
        var computed: [ComputedTable.Values?] = []
    }

    struct Refusal: Codable, Sendable, Hashable {
        var statement: String
        var message: String

        /// The same fault of the same object, whatever columns it has by now.
        var fault: [String] {
            [String(statement.prefix { $0 != "(" }).components(separatedBy: " SET ")[0], message]
        }
    }

    /// An error, so that it can be reported as if it had come here.
    struct Failure: Codable, Sendable {
        enum Phase: Codable, Sendable { case statement(Int), commit, record, other }

        var migration: String
        var phase: Phase
        var code: Int32
        var message: String
        var mayQuoteValues = false
        var sql: String?
        var offset: Int?

        init(_ failure: (migration: Migration, error: any Error)) {
            migration = failure.migration.identifier
            var cause = failure.error
            phase = .other
            if let statement = cause as? StatementFailure {
                (phase, mayQuoteValues) = (.statement(statement.index), statement.mayQuoteValues)
                cause = statement.error
            } else if let runner = cause as? RunnerFailure {
                phase = runner.phase == .record ? .record : .commit
                cause = runner.error
            }
            let error = cause as? EngineError
            (code, message) = (error?.extendedCode ?? 1, error?.message ?? String(describing: cause))
            (sql, offset) = (error?.sql, error?.offset)
        }

        var error: any Error {
            let error = EngineError(extendedCode: code, message: message, sql: sql, offset: offset)
            return switch phase {
            case .statement(let index):
                StatementFailure(index: index, error: error, mayQuoteValues: mayQuoteValues)
            case .commit: RunnerFailure(phase: .commit, error: error)
            case .record: RunnerFailure(phase: .record, error: error)
            case .other: error
            }
        }

        var sentence: Sentence {
            mayQuoteValues
                ? EngineError(extendedCode: code, message: message).sentence : Sentence(message)
        }

        /// Whether it is not a statement's that does not compile.
        var compiles: Bool { if case .statement = phase { mayQuoteValues } else { true } }

        /// Whether a limit of Drydock's stopped it, so that nothing is known about users.
        var isLimit: Bool {
            let error = EngineError(extendedCode: code, message: message)
            return error.isOverLimit || error.isFullDisk || error.isInterrupt
        }
    }
}
