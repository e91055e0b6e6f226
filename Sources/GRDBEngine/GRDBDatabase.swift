import DatabaseEngine
import GRDB
import Synchronization

/// A database opened by GRDB.
package final class GRDBDatabase: OpenDatabase {
    private let writer: any DatabaseWriter
    /// Whether the database is closed: GRDB's queue crashes if it is used after that.
    private let isClosed = Atomic(false)

    private let interrupt: (@Sendable () -> Bool)?
    private let statements: StatementLog?

    /// - Parameters:
    ///   - interrupt: see ``ConnectionSettings/interrupt``.
    ///   - statements: see ``ConnectionSettings/statements``.
    package init(
        writer: any DatabaseWriter, interrupt: (@Sendable () -> Bool)? = nil, statements: StatementLog? = nil
    ) {
        self.writer = writer
        self.interrupt = interrupt
        self.statements = statements
    }

    package func withConnection<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await translatingErrors {
            try await writer.writeWithoutTransaction { [interrupt, statements] database in
                // GRDB traps when a closure leaves a transaction open.
                defer { if database.isInsideTransaction { try? database.rollback() } }
                let result = try body(GRDBConnection(database, interrupt, statements))
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
            try await writer.read { [interrupt, statements] in
                try body(GRDBConnection($0, interrupt, statements))
            }
        }
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

    package func close() async throws {
        try await translatingErrors { try writer.close() }
        isClosed.store(true, ordering: .sequentiallyConsistent)
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
            ) { [interrupt, statements] database in
                try body(GRDBConnection(database, interrupt, statements))
            }
        }
        let ready = migrator
        try await translatingErrors {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                ready.asyncMigrate(writer) { continuation.resume(with: $0.map { _ in }) }
            }
        }
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
