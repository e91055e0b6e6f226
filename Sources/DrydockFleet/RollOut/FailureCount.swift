import DrydockFindings

/// Counts failures until there are enough of them.
final class FailureCount: Sendable {
    private let limit: Int
    private let count = Counter()

    init(_ limit: Int) { self.limit = limit }

    func add() { _ = count.next() }

    var isReached: Bool { count.value >= limit }
}
