import Synchronization

/// Something that becomes true once, where any thread may see it.
final class Latch: Sendable {
    private let flag = Atomic(false)

    var value: Bool { flag.load(ordering: .sequentiallyConsistent) }
    func set() { flag.store(true, ordering: .sequentiallyConsistent) }
}
