import DrydockReplay
import DatabaseEngine
import Dispatch
import Synchronization

/// A transaction that keeps a live database as it is, and ends by itself when its time is over, so that no writer
/// waits longer.
package final class ReadLock: Sendable {
    private enum Phase { case waiting, held, ended }

    private let phase = Mutex(Phase.waiting)
    private let end = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Begins a transaction on a connection that nobody else uses.
    /// - Parameters:
    ///   - limit: how long it may last.
    ///   - excludesWriters: whether others cannot even begin to write.
    ///   - begun: asked first in the transaction.
    /// - Throws: ``EngineError`` when another program is in the way.
    package static func take(
        on database: any OpenDatabase, for limit: Duration, excludesWriters: Bool = false,
        begun: @escaping @Sendable (any Connection) throws -> Void = { _ in }
    ) async throws -> ReadLock {
        let lock = ReadLock()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            @Sendable func hold(_ connection: any Connection) throws {
                if excludesWriters { try connection.execute("BEGIN IMMEDIATE") }
                // The lock comes with the first statement that reads.
                _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
                try begun(connection)
                lock.phase.withLock { $0 = .held }
                continuation.resume()
                // The thread is the connection's own.
                _ = lock.end.wait(timeout: .now() + limit.inSeconds)
                lock.phase.withLock { $0 = .ended }
                if excludesWriters { try connection.execute("ROLLBACK") }
            }
            Task {
                do {
                    if excludesWriters {
                        try await database.withConnection(hold)
                    } else {
                        try await database.read(hold)
                    }
                } catch {
                    let wasHeld = lock.phase.withLock { phase in
                        defer { phase = .ended }
                        return phase != .waiting
                    }
                    if !wasHeld { continuation.resume(throwing: error) }
                }
                lock.ended.signal()
            }
        }
        return lock
    }

    var isHeld: Bool { phase.withLock { $0 == .held } }

    /// Ends the transaction.
    /// - Returns: whether it had lasted until now.
    package func release() async -> Bool {
        let wasHeld = phase.withLock { phase in
            defer { phase = .ended }
            return phase == .held
        }
        end.signal()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().async {
                self.ended.wait()
                continuation.resume()
            }
        }
        return wasHeld
    }
}
