import DatabaseEngine
import Dispatch
import GRDB
import GRDBEngine

/// A database on which an app's migrator runs, one migration at a time.
final class MigratorDatabase: OpenDatabase {
    private let queue: DatabaseQueue
    private let migrator: DatabaseMigrator
    private let base: GRDBDatabase

    /// The prefix that hides the identifiers of applied migrations from the migrator for a moment.
    private static let hiddenPrefix = "drydock-later: "

    init(queue: DatabaseQueue, migrator: DatabaseMigrator) {
        self.queue = queue
        self.migrator = migrator
        base = GRDBDatabase(writer: queue)
    }

    func withConnection<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await base.withConnection(body)
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await base.read(body)
    }

    func changes(every interval: Duration) async throws -> DatabaseChanges {
        try await base.changes(every: interval)
    }

    func close() async throws { try await base.close() }

    /// Runs the migrator up to the last of these migrations; the migrator decides what runs, not their bodies.
    func migrate(_ migrations: [EngineMigration]) async throws -> [EngineMigration.Ran] {
        guard let last = migrations.last else { return [] }
        // Where enforcement is off, GRDB neither checks foreign keys nor turns them off: nothing is checked.
        let isUnchecked = migrations.contains { $0.foreignKeyChecks == .disabled }
        let (runs, error) = await trace(upTo: last.identifier, isUnchecked: isUnchecked)
        if let error { throw error }
        return runs.compactMap { run in
            run.identifier.map { EngineMigration.Ran($0, statements: run.statements) }
        }
    }

    /// Migrates the database to a version and fills it.
    func migrate(
        upTo identifier: String, filling rows: @escaping @Sendable (Database, String) throws -> Void
    ) async throws {
        if let error = await trace(upTo: identifier).error { throw error }
        try await queue.write { try rows($0, identifier) }
    }

    /// Runs the migrator and returns what ran, even if a migration failed.
    func trace(
        upTo identifier: String, isUnchecked: Bool = false
    ) async -> (runs: [ClosureRun], error: EngineError?) {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                let recorder = StatementRecorder()
                let outcome = Result { try run(upTo: identifier, isUnchecked, recorder) }
                continuation.resume(
                    returning: (ClosureRun.runs(recorder.entries), outcome.failure.map(Self.translate)))
            }
        }
    }

    private func run(upTo identifier: String, _ isUnchecked: Bool, _ recorder: StatementRecorder) throws {
        let enforces = try queue.inDatabase { database in
            try hideMigrations(after: identifier, database)
            let enforces = try Bool.fetchOne(database, sql: "PRAGMA foreign_keys") ?? false
            if isUnchecked { try database.execute(sql: "PRAGMA foreign_keys = OFF") }
            if let connection = database.sqliteConnection { recorder.start(on: connection) }
            return enforces
        }
        let outcome = Result { try migrator.migrate(queue, upTo: identifier) }
        try queue.inDatabase { database in
            if let connection = database.sqliteConnection { StatementRecorder.stop(on: connection) }
            if enforces { try database.execute(sql: "PRAGMA foreign_keys = ON") }
            try unhideMigrations(database)
        }
        try outcome.get()
    }

    // MARK: - Gaps

    /// Hides applied migrations after the target: GRDB traps if the target is below what is applied, and would run all
    /// of a gap at once.
    private func hideMigrations(after identifier: String, _ database: Database) throws {
        guard let target = migrator.migrations.firstIndex(of: identifier) else {
            throw EngineError(.misuse, "the migrator has no migration '\(identifier)'")
        }
        let applied = try migrator.appliedIdentifiers(database)
        for later in migrator.migrations[(target + 1)...] where applied.contains(later) {
            try database.execute(
                sql: "UPDATE grdb_migrations SET identifier = ? WHERE identifier = ?",
                arguments: [Self.hiddenPrefix + later, later])
        }
    }

    private func unhideMigrations(_ database: Database) throws {
        for name in try migrator.appliedIdentifiers(database) where name.hasPrefix(Self.hiddenPrefix) {
            try database.execute(
                sql: "UPDATE grdb_migrations SET identifier = ? WHERE identifier = ?",
                arguments: [String(name.dropFirst(Self.hiddenPrefix.count)), name])
        }
    }

    private static func translate(_ error: any Error) -> EngineError {
        switch error {
        case let error as DatabaseError: EngineError(error)
        case let error as EngineError: error
        // The closure's own error.
        default: EngineError(.error, String(describing: error))
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
