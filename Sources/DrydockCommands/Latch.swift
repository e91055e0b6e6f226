import Synchronization

/// A flag that becomes true once, and that any thread may read.
final class Latch: Sendable {
    private let flag = Atomic(false)

    var value: Bool { flag.load(ordering: .sequentiallyConsistent) }
    func set() { flag.store(true, ordering: .sequentiallyConsistent) }
}
