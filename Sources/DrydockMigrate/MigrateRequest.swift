import DrydockReplay

/// What `drydock migrate` is asked.
public struct MigrateRequest: Sendable {
    public enum Mode: Sendable {
        /// Says what is pending, and runs nothing.
        case check
        /// Runs the pending migrations on a copy, and holds every rule.
        case rehearsal
        /// Rehearses, and puts the result in the database's place.
        case apply
    }

    /// Where the database's backup goes. Nothing that is there is ever written over.
    public enum Backup: Sendable, Equatable {
        case folder(String)
        case path(String)
        case none
    }

    public var path: String
    public var mode = Mode.rehearsal
    /// The migrations, and how they are judged. Its snapshots are not looked at.
    public var verify = VerifyRequest()
    /// Beside the database when nil.
    public var backup: Backup?
    /// Where a copy lies that is not kept; `TMPDIR`, else `/tmp`, when nil.
    public var temporaryFolder: String?
    /// How long to wait for others' locks.
    public var busyTimeout = Duration.seconds(5)

    /// Whether the disk is asked for its free space first.
    package var checksDisk = true

    public init(path: String) { self.path = path }
}

/// What is going on, for whoever waits.
public enum MigrateEvent: Sendable {
    case copying
    /// The so-manieth of the pending migrations, counted from 1.
    case step(migration: String, number: Int, of: Int)
    case installing(done: Int, total: Int)
}
