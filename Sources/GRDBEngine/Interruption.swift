import CSQLite
import Dispatch
import Synchronization

/// Stops what a task does on a connection when the task is cancelled.
///
/// `sqlite3_interrupt` does nothing while no statement runs (https://www.sqlite.org/c3ref/interrupt.html), and one may begin
/// just after it. So it is called again and again until the work has ended.
final class Interruption: Sendable {
    private struct State: @unchecked Sendable {
        /// The connection while it works for the task.
        var connection: OpaquePointer?
        var isOver = false
    }

    private let state = Mutex(State())

    /// Runs an access; a task that is cancelled interrupts what passes through ``passing(_:_:)`` in it.
    static func during<Result>(
        _ body: (Interruption) async throws -> Result
    ) async throws -> Result {
        let interruption = Interruption()
        defer { interruption.state.withLock { $0.isOver = true } }
        return try await withTaskCancellationHandler {
            try await body(interruption)
        } onCancel: {
            interruption.repeatUntilOver()
        }
    }

    /// Runs a closure that may be interrupted.
    func passing<Result>(_ connection: OpaquePointer?, _ body: () throws -> Result) rethrows -> Result {
        let begun = State(connection: connection)
        state.withLock { $0 = begun }
        defer { state.withLock { $0.connection = nil } }
        return try body()
    }

    private func repeatUntilOver() {
        let isOver = state.withLock { state in
            if let connection = state.connection { sqlite3_interrupt(connection) }
            return state.isOver
        }
        guard !isOver else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { self.repeatUntilOver() }
    }
}
