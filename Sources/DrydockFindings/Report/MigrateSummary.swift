/// What was done to a live database, or would be. All sizes are in bytes.
public struct MigrateSummary: Sendable {
    public enum Outcome: String, Sendable {
        /// Nothing is pending.
        case upToDate = "up-to-date"
        /// Only a list of what is pending was requested.
        case pending
        /// The migrations ran on a copy; the database is unchanged.
        case rehearsed
        /// The rehearsal found errors; the database is unchanged.
        case refused
        /// The database is now the rehearsal's result.
        case applied
        /// The result was installed but does not read back as written: the disk is failing.
        case damaged
    }

    public var database: String
    public var outcome: Outcome
    public var pending: [String] = []
    public var bytesBefore = 0
    public var bytesAfter = 0
    /// The disk space that the migration needs, including the backup.
    public var needs: [DiskNeed] = []
    /// How long other programs cannot write: measured if it was done, otherwise estimated; nil if there was nothing to do.
    public var lockSeconds: Double?
    /// Whether other programs cannot read either, since the file is locked and not only its log.
    public var locksReaders = true
    public var backup: String?
    /// The number of rehearsals: it is repeated if another process has committed meanwhile.
    public var rehearsals = 0
    /// What the last rehearsal replayed: the database itself, or nothing.
    public var replays: [ReplaySummary] = []
    public var notes: [String] = []

    public init(database: String, outcome: Outcome) {
        (self.database, self.outcome) = (database, outcome)
    }

    var isFailure: Bool { [.pending, .refused, .damaged].contains(outcome) }
}
