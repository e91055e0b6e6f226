import Synchronization

/// A count that several threads increase.
package final class Counter: Sendable {
    private let count = Atomic(0)

    package init() {}

    package var value: Int { count.load(ordering: .relaxed) }

    /// Adds one.
    /// - Returns: the count with it.
    package func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
