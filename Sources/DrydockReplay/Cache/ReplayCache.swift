import DrydockMigrations
import DrydockState
import Synchronization

/// What verifying keeps between two runs of one request, so that where one migration is edited, those before it are not
/// run again on snapshots. A project whose settings change needs another memory.
package final class ReplayCache: Sendable {
    package let files: FileCache
    package let install = CheckpointShelf<InstallCheckpoint>()
    private let replays = Mutex<[String: CheckpointShelf<ReplayCheckpoint>]>([:])
    /// What is kept of each reading of the migrations, where there are several.
    private let readings = Mutex<[String: ReplayCache]>([:])

    /// - Parameter files: the files that were read, which linting may share.
    package init(files: FileCache = FileCache()) { self.files = files }

    /// Returns what is kept of one of several readings.
    package func reading(_ name: String) -> ReplayCache {
        readings.withLock { readings in
            if let known = readings[name] { return known }
            let new = ReplayCache(files: files)
            readings[name] = new
            return new
        }
    }

    /// Returns the checkpoints of a snapshot.
    package func replay(of snapshot: String) -> CheckpointShelf<ReplayCheckpoint> {
        replays.withLock { replays in
            if let known = replays[snapshot] { return known }
            let new = CheckpointShelf<ReplayCheckpoint>()
            replays[snapshot] = new
            return new
        }
    }

    /// Forgets all snapshots but these.
    package func keep(only snapshots: [String]) {
        let names = Set(snapshots)
        replays.withLock { $0 = $0.filter { names.contains($0.key) } }
    }
}
