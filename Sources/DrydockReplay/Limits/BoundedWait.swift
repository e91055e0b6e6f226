import DatabaseEngine
import Dispatch
import DrydockFindings
import Synchronization

/// Waits for work until its watchdog's time is up or the task is cancelled, and a little longer, so that the work can
/// stop by itself.
///
/// SQLite can be stopped while it compiles and while it runs, but not inside one function: LIKE with a hostile pattern
/// may take hours. Such work is left running on its thread, and the report is made without it.
package struct BoundedWait: Sendable {
    package let watchdog: Watchdog

    package init(watchdog: Watchdog) {
        self.watchdog = watchdog
    }

    private static let grace = Duration.seconds(5)
    /// A user who interrupts should not have to wait a second.
    private static let graceOfCancellation = Duration.milliseconds(500)

    /// - Returns: the result of the work; nil when it did not stop.
    /// - Throws: the errors of the work; CancellationError when the task is cancelled.
    package func result<Value: Sendable>(
        of work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let wait = Wait<Value?>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait.begin(continuation)
                if let deadline = watchdog.deadline {
                    let rest = max(.zero, deadline - ContinuousClock.now)
                    wait.end(with: .success(nil), after: rest + Self.grace)
                }
                wait.task = Task(executorPreference: WorkQueue()) {
                    do { wait.end(.success(try await work())) } catch { wait.end(.failure(error)) }
                }
            }
        } onCancel: {
            watchdog.cancel()
            wait.cancel(after: Self.graceOfCancellation)
        }
    }

    /// A continuation that is resumed by whichever event comes first.
    private final class Wait<Value: Sendable>: Sendable {
        private struct State {
            var continuation: CheckedContinuation<Value, any Error>?
            var task: Task<Void, Never>?
            var isCancelled = false
        }

        private let state = Mutex(State())

        func begin(_ continuation: CheckedContinuation<Value, any Error>) {
            state.withLock { $0.continuation = continuation }
        }

        var task: Task<Void, Never>? {
            get { state.withLock { $0.task } }
            set {
                let isCancelled = state.withLock { state in
                    state.task = newValue
                    return state.isCancelled
                }
                if isCancelled { newValue?.cancel() }
            }
        }

        func cancel(after grace: Duration) {
            state.withLock { state in
                state.isCancelled = true
                return state.task
            }?.cancel()
            end(with: .failure(CancellationError()), after: grace)
        }

        func end(with result: Result<Value, any Error>, after time: Duration) {
            DispatchQueue.global().asyncAfter(deadline: .now() + time.inSeconds) { [weak self] in
                self?.end(result)
            }
        }

        func end(_ result: Result<Value, any Error>) {
            state.withLock { state in
                defer { state.continuation = nil }
                return state.continuation
            }?.resume(with: result)
        }
    }
}
