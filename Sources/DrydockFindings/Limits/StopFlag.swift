import Synchronization

/// A flag that tells statements, and whatever else polls it, to end.
package final class StopFlag: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package var value: Bool { flag.load(ordering: .relaxed) }
    package func set() { flag.store(true, ordering: .relaxed) }
}
