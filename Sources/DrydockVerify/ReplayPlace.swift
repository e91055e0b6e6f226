import Synchronization

/// The migration that a replay is running.
final class ReplayPlace: Sendable {
    private let current = Mutex<String?>(nil)

    init() {}

    var migration: String? { current.withLock { $0 } }

    func set(_ migration: String) { current.withLock { $0 = migration } }
}
