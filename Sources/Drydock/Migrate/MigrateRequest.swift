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

/// What was done to a live database, or would be. All sizes are in bytes.
public struct MigrateSummary: Sendable {
    public enum Outcome: String, Sendable {
        /// Nothing is pending.
        case upToDate = "up-to-date"
        /// Only what is pending was asked.
        case pending
        /// The migrations ran on a copy; the database is as it was.
        case rehearsed
        /// The rehearsal found what stops it; the database is as it was.
        case refused
        /// The database is what the rehearsal made of it.
        case applied
        /// It was, and is not read as it was written: the disk is failing.
        case damaged
    }

    public struct Need: Sendable, Equatable {
        public var folder: String
        public var bytes: Int
        /// What it is for.
        public var purpose: String
        /// nil where the file system does not say.
        public var free: Int?

        public init(folder: String, bytes: Int, purpose: String, free: Int?) {
            (self.folder, self.bytes, self.purpose, self.free) = (folder, bytes, purpose, free)
        }
    }

    public var database: String
    public var outcome: Outcome
    public var pending: [String] = []
    public var bytesBefore = 0
    public var bytesAfter = 0
    /// The disk that the database's migration takes, its backup among it.
    public var needs: [Need] = []
    /// How long others cannot write: as it was where it was done, else estimated. nil where nothing was to be done.
    public var lockSeconds: Double?
    /// Nor read, since the file is locked and not only its log.
    public var locksReaders = true
    public var backup: String?
    /// How often it was rehearsed: again when somebody committed meanwhile.
    public var rehearsals = 0
    public var notes: [String] = []

    public init(database: String, outcome: Outcome) {
        (self.database, self.outcome) = (database, outcome)
    }

    var isFailure: Bool { [.pending, .refused, .damaged].contains(outcome) }
}

/// What is going on, for whoever waits.
public enum MigrateEvent: Sendable {
    case copying
    /// The so-manieth of the pending migrations, counted from 1.
    case step(migration: String, number: Int, of: Int)
    /// Pages that were written; begun with none of none before the first.
    case installing(done: Int, total: Int)
}
