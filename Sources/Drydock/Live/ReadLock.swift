import DatabaseEngine
import Dispatch
import Synchronization

/// A read transaction that keeps a live database as it is, and ends by itself when its time is over, so that
/// no writer waits longer.
final class ReadLock: Sendable {
    private enum Phase { case waiting, held, ended }

    private let phase = Mutex(Phase.waiting)
    private let end = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Begins a transaction on a connection that nobody else uses.
    /// - Parameter limit: how long it may last.
    /// - Throws: ``EngineError`` when another program is in the way.
    static func take(on database: any OpenDatabase, for limit: Duration) async throws -> ReadLock {
        let lock = ReadLock()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Task {
                do {
                    try await database.read { connection in
                        // The lock comes with the first statement that reads.
                        _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
                        lock.phase.withLock { $0 = .held }
                        continuation.resume()
                        // The thread is the connection's own.
                        _ = lock.end.wait(timeout: .now() + limit.inSeconds)
                        lock.phase.withLock { $0 = .ended }
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
    func release() async -> Bool {
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
