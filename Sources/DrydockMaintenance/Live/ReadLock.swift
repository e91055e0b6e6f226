import DrydockReplay
import DatabaseEngine
import Dispatch
import Synchronization

/// A transaction that keeps a live database unchanged. It ends by itself after its time limit, so that no writer waits
/// longer.
package final class ReadLock: Sendable {
    private enum Phase { case waiting, held, ended }

    /// Work for the transaction's connection, on its thread.
    private typealias Work = @Sendable (any Connection) -> Void

    private let state = Mutex<(phase: Phase, work: Work?)>((.waiting, nil))
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
                lock.state.withLock { $0.phase = .held }
                continuation.resume()
                lock.hold(connection, until: .now() + limit.inSeconds)
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
                    let wasHeld = lock.state.withLock { state in
                        defer { state.phase = .ended }
                        return state.phase != .waiting
                    }
                    if !wasHeld { continuation.resume(throwing: error) }
                }
                lock.finish()
            }
        }
        return lock
    }

    var isHeld: Bool { state.withLock { $0.phase == .held } }

    /// Runs a closure in the transaction, which no other call may be doing.
    /// - Throws: What the closure throws; ``EngineError`` (SQLITE_MISUSE) if the transaction has ended.
    package func perform<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            let isHeld = state.withLock { state in
                guard state.phase == .held else { return false }
                state.work = { connection in continuation.resume(with: Result { try body(connection) }) }
                return true
            }
            guard isHeld else {
                continuation.resume(
                    throwing: EngineError(extendedCode: 21, message: "the transaction has ended"))
                return
            }
            end.signal()
        }
    }

    /// Blocks the thread, which only this connection uses, until the transaction is to end.
    private func hold(_ connection: any Connection, until deadline: DispatchTime) {
        while end.wait(timeout: deadline) == .success, let work = takeWork() { work(connection) }
        let rest = state.withLock { state in
            defer { state = (.ended, nil) }
            return state.work
        }
        rest?(connection)
    }

    private func takeWork() -> Work? {
        state.withLock { state in
            defer { state.work = nil }
            return state.work
        }
    }

    /// Ends the transaction.
    /// - Returns: Whether it had lasted until now.
    package func release() async -> Bool {
        let wasHeld = state.withLock { state in
            defer { state.phase = .ended }
            return state.phase == .held
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
