import DrydockMigrations
import DrydockState
import OverlayVFS

/// A place in the replay of a snapshot at which another replay can begin, with what the steps before it have found.
package struct ReplayCheckpoint: Sendable {
    let result: ReplayResult
    let steps: ReplayedSteps
    package let state: DatabaseState
    /// Whether foreign keys were enforced.
    let foreignKeys: Bool
    /// The tables that were checked at this state and found to be whole; nil where that was not done.
    var whole: Set<String>?

    /// The number of pending migrations before it.
    var count: Int { result.summary.steps.count }
}

/// A place in a fresh install at which another one can begin.
package struct InstallCheckpoint: Sendable {
    /// The install so far.
    let install: FreshInstall
    let image: Image
    let foreignKeys: Bool

    /// The number of migrations before it.
    var count: Int { install.passed }
}
