import DatabaseEngine
import DrydockMigrations
import DrydockReplay
import Foundation

/// The options of `drydock lock`.
public struct LockRequest: Sendable {
    /// The lock to write or check.
    public var path = Lock.defaultPath
    /// The migrations; their format is the lock's, where none is named.
    public var migrations = MigrationSource()
    /// Nil if there are no snapshots.
    public var snapshotsFolder: String? = "Snapshots"
    /// Migrations and snapshots whose entries may be rewritten or dropped.
    public var replace: [String] = []
    /// Whether to check the lock without writing it.
    public var isCheck = false
    public var isStrict = false
    /// Whether locked snapshots without a baseline of the running SQLite get one.
    public var addsBaselines = false
    /// The folder that caches the content of snapshots between runs; nil for none.
    public var cacheFolder: String?
    /// The date that is recorded for new snapshots.
    public var date = Date().formatted(.iso8601.year().month().day())

    public init() {}
}
