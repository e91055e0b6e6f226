import DatabaseEngine
import GRDB
import Synchronization

/// A database opened by GRDB.
package final class GRDBDatabase: OpenDatabase {
    private let writer: any DatabaseWriter
    /// Whether the database is closed: GRDB's queue crashes if it is used after that.
    private let isClosed = Atomic(false)
    private let commits = CommitObserver()

    private let settings: ConnectionSettings
    /// Only touched on the writer's queue; nil where no statement is kept.
    nonisolated(unsafe) private let idle: IdleStatements?

    /// - Parameter settings: those of the writer's connections.
    package init(writer: any DatabaseWriter, settings: ConnectionSettings = ConnectionSettings()) {
        self.writer = writer
        self.settings = settings
        idle = settings.keepsStatements ? IdleStatements() : nil
    }

    package func withConnection<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await translatingErrors {
            try await write { [self] database, interruption in
                // GRDB traps when a closure leaves a transaction open.
                defer { if database.isInsideTransaction { try? database.rollback() } }
                let connection = try GRDBConnection(database, settings, idle)
                let result = try interruption.passing(connection.handle) { try body(connection) }
                guard !database.isInsideTransaction else {
                    throw EngineError(
                        extendedCode: ResultCode.SQLITE_MISUSE.rawValue,
                        message: "a transaction was left open")
                }
                return result
            }
        }
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await translatingErrors {
            try await Interruption.during { [settings, writer] interruption in
                let body: @Sendable (Database) throws -> Result = {
                    let connection = try GRDBConnection($0, settings)
                    return try interruption.passing(connection.handle) { try body(connection) }
                }
                guard WorkQueue.isCurrent else { return try await writer.read(body) }
                return try Self.atOnce(writer) { try $0.read(body) }
            }
        }
    }

    private func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database, Interruption) throws -> Result
    ) async throws -> Result {
        try await Interruption.during { [writer] interruption in
            let body: @Sendable (Database) throws -> Result = { try body($0, interruption) }
            guard WorkQueue.isCurrent else { return try await writer.writeWithoutTransaction(body) }
            return try Self.atOnce(writer) { try $0.writeWithoutTransaction(body) }
        }
    }

    /// Runs a closure on the caller's thread, by GRDB's methods that are not asynchronous and do not look at the task.
    private static func atOnce<Result>(
        _ writer: any DatabaseWriter, _ body: (any DatabaseWriter) throws -> Result
    ) throws -> Result {
        try Task.checkCancellation()
        return try body(writer)
    }

    package func migrate(_ migrations: [EngineMigration]) async throws -> [EngineMigration.Ran] {
        let ran = Ran()
        try await register(
            migrations.map { migration in
                var migration = migration
                let (identifier, body) = (migration.identifier, migration.body)
                migration.body = { connection in
                    ran.identifiers.withLock { $0.append(identifier) }
                    try body(connection)
                }
                return migration
            })
        return ran.identifiers.withLock { $0.map { .init($0) } }
    }

    package func changes(every interval: Duration) async throws -> DatabaseChanges {
        let (mailbox, commits) = (ChangeMailbox(), commits)
        try await onWriter { database, handle in
            if !commits.tracker.isObserved {
                database.add(transactionObserver: commits, extent: .observerLifetime)
            }
            try commits.tracker.begin(handle)
            commits.tracker.add(mailbox)
        }
        let observation = ChangeObservation(mailbox, every: interval) { [weak self] in
            guard let self, !isClosed.load(ordering: .sequentiallyConsistent) else { return false }
            // In a task of its own: GRDB interrupts the connection of a cancelled one, which may be closed by then.
            try await Task { try await self.onWriter { try commits.tracker.poll($1) } }.value
            return true
        } ended: { [weak self] in
            if commits.tracker.remove(mailbox) { return }
            Task { [weak self] in
                try? await self?.onWriter { database, _ in
                    if !commits.tracker.isObserved { database.remove(transactionObserver: commits) }
                }
            }
        }
        return DatabaseChanges(observation)
    }

    private func onWriter(
        _ body: @escaping @Sendable (Database, OpaquePointer) throws -> Void
    ) async throws {
        try await translatingErrors {
            try await write { database, _ in
                guard let handle = database.sqliteConnection else { return }
                try body(database, handle)
            }
        }
    }

    package func close() async throws {
        try await translatingErrors {
            if idle != nil { try await write { [self] _, _ in idle?.empty() } }
            try writer.close()
        }
        isClosed.store(true, ordering: .sequentiallyConsistent)
        commits.tracker.end()
    }

    private final class Ran: Sendable {
        let identifiers = Mutex<[String]>([])
    }

    /// Registers the migrations with a new migrator and runs it.
    ///
    /// `DatabaseMigrator` traps if an identifier is registered twice, and if its target is below what is
    /// applied. Neither can happen: identifiers are unique here, and the target is always the last registered
    /// migration.
    private func register(_ migrations: [EngineMigration]) async throws {
        try await translatingErrors {
            try await Interruption.during { [writer] interruption in
                let migrator = try migrator(migrations, interruption)
                guard !WorkQueue.isCurrent else {
                    return try Self.atOnce(writer) { try migrator.migrate($0) }
                }
                try await withCheckedThrowingContinuation {
                    (continuation: CheckedContinuation<Void, any Error>) in
                    migrator.asyncMigrate(writer) { continuation.resume(with: $0.map { _ in }) }
                }
            }
        }
    }

    private func migrator(
        _ migrations: [EngineMigration], _ interruption: Interruption
    ) throws -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        var seen: Set<String> = []
        for migration in migrations {
            guard seen.insert(migration.identifier).inserted else {
                throw EngineError(
                    extendedCode: ResultCode.SQLITE_MISUSE.rawValue,
                    message: "two migrations are called '\(migration.identifier)'")
            }
            if migration.foreignKeyChecks == .disabled {
                migrator = migrator.disablingDeferredForeignKeyChecks()
            }
            let body = migration.body
            migrator.registerMigration(
                migration.identifier,
                foreignKeyChecks: migration.foreignKeyChecks == .immediate ? .immediate : .deferred
            ) { [settings] database in
                let connection = try GRDBConnection(database, settings)
                try interruption.passing(connection.handle) { try body(connection) }
            }
        }
        return migrator
    }

    private func translatingErrors<Result>(_ body: () async throws -> Result) async throws -> Result {
        guard !isClosed.load(ordering: .sequentiallyConsistent) else {
            throw EngineError(
                extendedCode: ResultCode.SQLITE_MISUSE.rawValue, message: "the connection is closed")
        }
        do {
            return try await body()
        } catch let error as DatabaseError {
            throw EngineError(error)
        }
    }
}
