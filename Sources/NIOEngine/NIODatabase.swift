import CSQLite
import DatabaseEngine
import NIOPosix
import Synchronization

/// A database opened on SwiftNIO.
///
/// One thread runs all closures on its one connection, so nothing comes between the statements of a closure.
/// The thread is not shared, since a closure may wait for what another database does.
final class NIODatabase: OpenDatabase {
    private let thread = NIOThreadPool(numberOfThreads: 1)
    /// Nil before the database is opened and after it is closed.
    private let connection = Mutex<NIOConnection?>(nil)

    init() { thread.start() }

    deinit { thread.shutdownGracefully { _ in } }

    func open(_ location: DatabaseLocation, _ settings: ConnectionSettings) async throws {
        try await run { connection in connection = try NIOConnection(location, settings) }
    }

    func withConnection<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await use { connection in
            defer { connection.rollBack() }
            let result = try body(connection)
            guard !connection.isInTransaction else {
                throw EngineError(extendedCode: SQLITE_MISUSE, message: "a transaction was left open")
            }
            return result
        }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await use { connection in
            try connection.execute("PRAGMA query_only = 1; BEGIN")
            defer {
                connection.rollBack()
                connection.restore("PRAGMA query_only = 0")
            }
            return try body(connection)
        }
    }

    func migrate(_ migrations: [EngineMigration]) async throws -> [EngineMigration.Ran] {
        try await use { try $0.migrate(migrations) }
    }

    func changes(every interval: Duration) async throws -> DatabaseChanges {
        let mailbox = ChangeMailbox()
        let tracker = try await use { try $0.observe(mailbox) }
        let observation = ChangeObservation(mailbox, every: interval) { [weak self] in
            try await self?.use { try tracker.poll($0.handle) } != nil
        } ended: { [weak self] in
            if tracker.remove(mailbox) { return }
            Task { [weak self] in try? await self?.use { $0.endObservation() } }
        }
        return DatabaseChanges(observation)
    }

    func close() async throws {
        try await run { connection in
            connection?.close()
            connection = nil
        }
        try await thread.shutdownGracefully()
    }

    /// Runs a closure with the connection, on its thread. If the task is cancelled, the running statement
    /// stops.
    private func use<Result: Sendable>(
        _ body: @escaping @Sendable (NIOConnection) throws -> Result
    ) async throws -> Result {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await run { connection in
                guard let connection else { throw Self.closed }
                return try connection.obeying(cancellation) { try body(connection) }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func run<Result: Sendable>(
        _ body: @escaping @Sendable (inout sending NIOConnection?) throws -> Result
    ) async throws -> Result {
        do {
            return try await thread.runIfActive { try self.connection.withLock { try body(&$0) } }
        } catch is CancellationError where !Task.isCancelled {
            // NIO throws this if the thread was shut down.
            throw Self.closed
        }
    }

    private static let closed = EngineError(extendedCode: SQLITE_MISUSE, message: "the connection is closed")
}

/// A flag that says whether a task was cancelled, for the thread that works for it.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }
    func cancel() { flag.store(true, ordering: .relaxed) }
}
