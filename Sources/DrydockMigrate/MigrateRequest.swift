import DrydockReplay
import DrydockVerify

/// The options of `drydock migrate`.
public struct MigrateRequest: Sendable {
    public enum Mode: Sendable {
        /// Reports what is pending, and runs nothing.
        case check
        /// Runs the pending migrations on a copy, and checks every rule.
        case rehearsal
        /// Rehearses, and replaces the database's content with the result.
        case apply
    }

    /// Where the database's backup goes. An existing file is never overwritten.
    public enum Backup: Sendable, Equatable {
        case folder(String)
        case path(String)
        case none
    }

    public var path: String
    public var mode = Mode.rehearsal
    /// The migrations, and how they are judged. Its snapshots are ignored.
    public var verify = VerifyRequest()
    /// Nil for the database's folder.
    public var backup: Backup?
    /// The folder for a copy that is not kept; nil for `TMPDIR`, or `/tmp` if that is not set.
    public var temporaryFolder: String?
    /// How long to wait for other programs' locks.
    public var busyTimeout = LockWaits.busyTimeout

    /// Whether others are migrated at the same time, so that the limits on what a stranger's SQL may use stay on.
    package var isOneOfMany = false

    public init(path: String) { self.path = path }
}

/// The progress of a migration.
public enum MigrateEvent: Sendable {
    case copying
    /// The n-th of the pending migrations, counted from 1.
    case step(migration: String, number: Int, of: Int)
    case installing(done: Int, total: Int)
}
