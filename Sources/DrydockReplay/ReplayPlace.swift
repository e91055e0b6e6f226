import DrydockFindings
import DrydockMigrations
import DrydockState
import Synchronization

/// The migration that a replay is running.
package final class ReplayPlace: Sendable {
    private let current = Mutex<String?>(nil)

    package init() {}

    package var migration: String? { current.withLock { $0 } }

    package func set(_ migration: String) { current.withLock { $0 = migration } }
}
