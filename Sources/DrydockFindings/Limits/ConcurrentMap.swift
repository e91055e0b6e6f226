/// Runs a body for every item, for as many at once as there are jobs. After the task is cancelled no more are begun.
/// - Parameter isDone: called in the order of the items, with each result as soon as those before it are there.
/// - Returns: the results, in the order of the items.
/// - Throws: the first error of a body, and `CancellationError`.
package func concurrentMap<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, isDone: (Result) -> Void = { _ in },
    _ body: @escaping @Sendable (Item) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var results = [Result?](repeating: nil, count: items.count)
        var (next, reported) = (0, 0)
        func begin() {
            guard next < items.count, !Task.isCancelled else { return }
            let (index, item) = (next, items[next])
            next += 1
            group.addTask { (index, try await body(item)) }
        }
        for _ in 0..<min(max(1, jobs), items.count) { begin() }
        while let (index, result) = try await group.next() {
            results[index] = result
            begin()
            while reported < results.count, let done = results[reported] {
                isDone(done)
                reported += 1
            }
        }
        try Task.checkCancellation()
        return results.compactMap(\.self)
    }
}
