import DrydockReplay
import DatabaseEngine
import Dispatch
import Synchronization

/// A transaction that keeps a live database unchanged. It ends by itself after its time limit, so that no writer waits
/// longer.
package final class ReadLock: Sendable {
    private enum Phase { case waiting, held, ended }

    private let phase = Mutex(Phase.waiting)
    private let end = DispatchSemaphore(value: 0)
    private let ended = Mutex<(isTrue: Bool, waiter: CheckedContinuation<Void, Never>?)>((false, nil))

    /// Begins a transaction on a connection that nothing else uses.
    /// - Parameters:
    ///   - limit: How long it may last.
    ///   - excludesWriters: Whether other programs cannot even begin to write.
    ///   - begun: Runs first in the transaction.
    /// - Throws: ``EngineError`` if another program is in the way.
    package static func take(
        on database: any OpenDatabase, for limit: Duration, excludesWriters: Bool = false,
        begun: @escaping @Sendable (any Connection) throws -> Void = { _ in }
    ) async throws -> ReadLock {
        let lock = ReadLock()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            @Sendable func holdTransaction(_ connection: any Connection) throws {
                if excludesWriters { try connection.execute("BEGIN IMMEDIATE") }
                // The first statement that reads takes the lock.
                _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
                try begun(connection)
                lock.phase.withLock { $0 = .held }
                continuation.resume()
                // Only this connection uses the thread, so it may block.
                _ = lock.end.wait(timeout: .now() + limit.inSeconds)
                lock.phase.withLock { $0 = .ended }
                if excludesWriters { try connection.execute("ROLLBACK") }
            }
            Task {
                do {
                    if excludesWriters {
                        try await database.withConnection(holdTransaction)
                    } else {
                        try await database.read(holdTransaction)
                    }
                } catch {
                    let wasHeld = lock.phase.withLock { phase in
                        defer { phase = .ended }
                        return phase != .waiting
                    }
                    if !wasHeld { continuation.resume(throwing: error) }
                }
                lock.finish()
            }
        }
        return lock
    }

    var isHeld: Bool { phase.withLock { $0 == .held } }

    /// Ends the transaction.
    /// - Returns: Whether it had lasted until now.
    package func release() async -> Bool {
        let wasHeld = phase.withLock { phase in
            defer { phase = .ended }
            return phase == .held
        }
        end.signal()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOver = ended.withLock { ended in
                if !ended.isTrue { ended.waiter = continuation }
                return ended.isTrue
            }
            if isOver { continuation.resume() }
        }
        return wasHeld
    }

    private func finish() {
        let waiter = ended.withLock { ended in
            defer { ended = (true, nil) }
            return ended.waiter
        }
        waiter?.resume()
    }
}
