import DatabaseEngine
import DrydockMigrations
import SQLiteSchema

/// Runs migrations as a tool other than GRDB does, on a plain connection: its BEGIN and COMMIT, the statements, its
/// bookkeeping.
///
/// Steps that share one transaction are committed one by one, so that the state between them can be observed. For the
/// statements this makes no difference: a COMMIT that succeeds left no deferred violation, so nothing of the
/// transaction is carried over except `defer_foreign_keys`, which "is automatically switched off at each COMMIT"
/// (https://www.sqlite.org/pragma.html#pragma_defer_foreign_keys) and is switched on again. Where the commit is refused
/// the transaction continues (https://www.sqlite.org/foreignkeys.html#fk_deferred), and the state is observed after a
/// later step.
package struct ToolRun {
    package let connection: any Connection
    package let set: MigrationSet
    /// Called before each migration.
    var starting: (Migration) -> Void = { _ in }
    /// Whether it is noted which statements find rows.
    package var notesIdle = false
    /// Called after each statement and each part of the tool's own work, whether a transaction is open or not.
    package var called: (Call) throws -> Void = { _ in }
    /// Whether steps that share a transaction are committed together, as the tool does, so that no state between them
    /// can be observed.
    package var commitsTogether = false
    /// Whether what the tool writes of a migration that is not finished is written too.
    package var marksUnfinished = false

    package init(
        connection: any Connection, set: MigrationSet, starting: @escaping (Migration) -> Void = { _ in },
        notesIdle: Bool = false
    ) {
        (self.connection, self.set) = (connection, set)
        (self.starting, self.notesIdle) = (starting, notesIdle)
    }

    /// Something that was done for a migration.
    package enum Call: Sendable, Hashable {
        /// The history table was made.
        case setup
        /// The migration was marked as begun.
        case mark(Int)
        /// A statement: the position of its migration in the batch, and its own in that.
        case statement(Int, Int)
        case commit(Int)
        case record(Int)
        /// The engine ran the whole migration.
        case whole(Int)
    }

    /// A state that can be observed, and the migrations that led to it.
    package struct Span {
        /// Positions in the batch.
        var range: ClosedRange<Int>
        var seconds: Double
        var statementSeconds: [Double]
        /// The statements that chose rows and found none, counted through all migrations of the span.
        var idle: Set<Int>
        /// Whether foreign keys were enforced at its beginning.
        var foreignKeys: Bool
    }

    /// Creates the history table where it is missing, as tools do before they read it.
    package func prepare() throws {
        for entry in set.format.historySetup { try entry.write(on: connection) }
        try called(.setup)
    }

    /// Runs migrations that share one transaction, or one that has its own or none.
    /// - Parameter reached: called outside any transaction with the migrations completed.
    /// - Throws: ``BatchFailure``; what the tool would roll back is rolled back.
    package func run(_ batch: [Migration], reached: (Span) throws -> Void) throws {
        do {
            switch batch.first?.transaction {
            case .all: try runTogether(batch, reached)
            case .each: try runAlone(batch[0], reached)
            case .some(.none): try runOpenly(batch[0], reached)
            case nil: break
            }
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Runs the way back of a migration.
    package func undo(_ migration: Migration, _ down: Migration.Down) throws {
        var step = migration
        step.path = down.path
        step.statements = down.statements
        step.record = migration.unrecord
        // A single migration in a transaction that could be shared has a separate one.
        step.transaction = down.transaction == .all ? .each : down.transaction
        try run([step]) { _ in }
    }

    // MARK: - Transactions

    private func runAlone(_ migration: Migration, _ reached: (Span) throws -> Void) throws {
        var clock = try SpanClock(0, connection)
        starting(migration)
        try mark(migration, 0)
        try connection.execute("BEGIN")
        try run(migration, 0, &clock)
        if set.policy.recordsInTransaction { try record(migration, 0) }
        try failing(0, .commit) { try connection.execute("COMMIT") }
        try called(.commit(0))
        if !set.policy.recordsInTransaction { try record(migration, 0) }
        try reached(clock.span(to: 0))
    }

    private func runOpenly(_ migration: Migration, _ reached: (Span) throws -> Void) throws {
        var clock = try SpanClock(0, connection)
        starting(migration)
        try mark(migration, 0)
        do {
            try run(migration, 0, &clock)
        } catch {
            if marksUnfinished { markFailed(migration) }
            throw error
        }
        guard !connection.isInTransaction else {
            throw BatchFailure(
                index: 0, error: EngineError(.error, leftOpen), phase: .commit)
        }
        try record(migration, 0)
        try reached(clock.span(to: 0))
    }

    private func runTogether(_ batch: [Migration], _ reached: (Span) throws -> Void) throws {
        var clock = try SpanClock(0, connection)
        try connection.execute("BEGIN")
        for (index, migration) in batch.enumerated() {
            starting(migration)
            try run(migration, index, &clock)
            try record(migration, index)
            let isLast = index == batch.count - 1
            let defers = try connection.firstRow("PRAGMA defer_foreign_keys") { $0.integer(0) != 0 } ?? false
            // A file may have ended the transaction: later statements then commit by themselves, until the tool's own
            // COMMIT finds nothing to commit.
            let isOpen = connection.isInTransaction
            if isOpen && !commitsTogether || isLast {
                do {
                    try connection.execute("COMMIT")
                } catch let error as EngineError where error.isForeignKeyViolation && !isLast {
                    continue
                } catch {
                    throw BatchFailure(index: index, error: error, phase: .commit)
                }
                try called(.commit(index))
            }
            if commitsTogether, !isLast { continue }
            try reached(clock.span(to: index))
            guard !isLast else { break }
            clock = try SpanClock(index + 1, connection)
            guard isOpen else { continue }
            try connection.execute("BEGIN")
            if defers { try connection.execute("PRAGMA defer_foreign_keys = ON") }
            try write()
        }
    }

    /// Lets a transaction that continues another have written, as that one has: `PRAGMA journal_mode` then does nothing,
    /// where it fails in a transaction that has not (`sqlite3PagerOkToChangeJournalMode`).
    private func write() throws {
        let version = try connection.firstRow("PRAGMA user_version") { $0.integer(0) } ?? 0
        try connection.execute("PRAGMA user_version = \(version)")
    }

    private var leftOpen: String { "the file leaves a transaction open, so what it wrote is rolled back" }

    // MARK: - Statements

    private func run(_ migration: Migration, _ index: Int, _ clock: inout SpanClock) throws {
        for (number, statement) in migration.statements.enumerated() {
            let start = ContinuousClock.now
            let meeting = notesIdle ? RowMeeting(statement, on: connection) : nil
            try failing(index, .statement) { try MigrationRun.run(statement, at: number, on: connection) }
            if meeting?.foundNothing ?? false { clock.idle.insert(clock.statementSeconds.count) }
            clock.statementSeconds.append((ContinuousClock.now - start).inSeconds)
            try called(.statement(index, number))
        }
    }

    /// Writes what the tool writes before a migration, so that it sees afterwards whether that was finished.
    private func mark(_ migration: Migration, _ index: Int) throws {
        guard marksUnfinished, let mark = migration.unfinishedMark, mark.isLeftByKill else { return }
        try write(mark.begun)
        try called(.mark(index))
    }

    /// Writes what a tool notes. Several statements are one transaction, as golang-migrate's SetVersion.
    private func write(_ entries: [Bookkeeping]) throws {
        let isOwn = entries.count > 1 && !connection.isInTransaction
        if isOwn { try connection.execute("BEGIN") }
        do {
            for entry in entries { try entry.write(on: connection) }
            if isOwn { try connection.execute("COMMIT") }
        } catch {
            if isOwn, connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Writes what the tool writes where a statement failed, if it can be written.
    private func markFailed(_ migration: Migration) {
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        for entry in migration.unfinishedMark?.failed ?? [] { try? entry.write(on: connection) }
    }

    private func record(_ migration: Migration, _ index: Int) throws {
        try failing(index, .record) {
            let finished = marksUnfinished ? migration.unfinishedMark?.finished : nil
            try write(finished ?? migration.record)
            try called(.record(index))
        }
    }

    private func failing(_ index: Int, _ phase: BatchFailure.Phase, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            throw BatchFailure(index: index, error: error, phase: phase)
        }
    }
}

/// Where a batch of migrations stopped.
package struct BatchFailure: Error {
    package enum Phase: Sendable {
        case statement, commit, record
    }

    /// The migration's position in the batch.
    package var index: Int
    package var error: any Error
    package var phase: Phase
}

/// Measures the time between two states.
private struct SpanClock {
    private let first: Int
    private let start = ContinuousClock.now
    private let foreignKeys: Bool
    var statementSeconds: [Double] = []
    var idle: Set<Int> = []

    init(_ first: Int, _ connection: any Connection) throws {
        self.first = first
        foreignKeys = try connection.enforcesForeignKeys()
    }

    func span(to last: Int) -> ToolRun.Span {
        .init(
            range: first...last, seconds: (ContinuousClock.now - start).inSeconds,
            statementSeconds: statementSeconds, idle: idle, foreignKeys: foreignKeys)
    }
}
