import DatabaseEngine
import Synchronization

/// Runs a body for every item, for as many at once as there are jobs. After the task is cancelled no more are begun.
///
/// Each job has a ``WorkQueue``, so that the body may block.
/// - Parameter isDone: called in the order of the items, with each result as soon as those before it are there.
/// - Returns: the results, in the order of the items.
/// - Throws: the first error of a body, and `CancellationError`.
package func concurrentMap<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, isDone: @escaping @Sendable (Result) -> Void = { _ in },
    _ body: @escaping @Sendable (Item) async throws -> Result
) async throws -> [Result] {
    let progress = MapProgress(count: items.count, isDone: isDone)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<min(max(1, jobs), items.count) {
            group.addTask(executorPreference: WorkQueue()) {
                while !Task.isCancelled, let index = progress.next() {
                    progress.end(index, try await body(items[index]))
                }
            }
        }
        for try await _ in group {}
    }
    try Task.checkCancellation()
    return progress.results
}

/// How far the jobs have come.
private final class MapProgress<Result: Sendable>: Sendable {
    private struct State {
        var results: [Result?]
        var begun = 0
        var reported = 0
    }

    private let state: Mutex<State>
    private let isDone: @Sendable (Result) -> Void

    init(count: Int, isDone: @escaping @Sendable (Result) -> Void) {
        state = Mutex(State(results: Array(repeating: nil, count: count)))
        self.isDone = isDone
    }

    var results: [Result] { state.withLock { $0.results.compactMap(\.self) } }

    /// Returns the index of the next item; nil if all are begun.
    func next() -> Int? {
        state.withLock { state in
            guard state.begun < state.results.count else { return nil }
            state.begun += 1
            return state.begun - 1
        }
    }

    func end(_ index: Int, _ result: Result) {
        state.withLock { state in
            state.results[index] = result
            while state.reported < state.results.count, let done = state.results[state.reported] {
                isDone(done)
                state.reported += 1
            }
        }
    }
}
