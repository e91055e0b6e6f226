import DrydockFindings
import Dispatch
import Synchronization

/// Waits for work until its watchdog's time is up, and a while beyond, in which it can stop by itself.
///
/// SQLite is stopped while it compiles and while it runs, but not inside one function: LIKE with a hostile pattern may
/// take hours. Such work is left behind on its thread, and the report is made without it.
struct Patience: Sendable {
    let watchdog: Watchdog

    private static let grace = Duration.seconds(5)

    /// - Returns: what the work gives; nil when it did not stop.
    func result<Value: Sendable>(
        of work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        guard let deadline = watchdog.deadline else { return try await work() }
        let wait = Wait<Value?>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait.begin(continuation)
                let rest = deadline - ContinuousClock.now + Self.grace
                DispatchQueue.global().asyncAfter(deadline: .now() + max(0, rest.inSeconds)) { [weak wait] in
                    wait?.end(.success(nil))
                }
                wait.task = Task {
                    do { wait.end(.success(try await work())) } catch { wait.end(.failure(error)) }
                }
            }
        } onCancel: {
            watchdog.cancel()
            wait.cancel()
        }
    }

    /// One who waits, for whatever comes first.
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

        func cancel() {
            state.withLock { state in
                state.isCancelled = true
                return state.task
            }?.cancel()
        }

        func end(_ result: Result<Value, any Error>) {
            state.withLock { state in
                defer { state.continuation = nil }
                return state.continuation
            }?.resume(with: result)
        }
    }
}
