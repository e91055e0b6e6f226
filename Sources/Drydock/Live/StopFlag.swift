import Synchronization

/// Tells statements, and whatever else polls it, that they are to end.
final class StopFlag: Sendable {
    private let flag = Atomic(false)

    var value: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
}
