/// The options of `drydock vacuum`. All sizes are in bytes.
public struct VacuumRequest: Sendable {
    public var path: String
    /// Whether only to report what would happen.
    public var isForecast = false
    /// Where to keep the vacuumed copy; the database itself is then not written.
    public var into: String?
    /// How many free pages to return at most, without moving rows; for a database with incremental auto_vacuum.
    public var incrementalPages: Int?
    public var pageSize: Int?
    /// Whether to gather statistics for the query planner afterwards.
    public var analyzes = false
    /// The folder in which the copy is made; nil for the database's folder.
    public var temporaryFolder: String?
    /// How long to wait for other programs' locks.
    public var busyTimeout: Duration = .seconds(5)

    public init(path: String) { self.path = path }
}

/// What a vacuum will need and free, estimated from the current pages. All sizes are in bytes.
public struct VacuumForecast: Sendable, Equatable {
    public var bytes: Int
    public var bytesAfter: Int
    public var freelistBytes: Int
    public var needs: [DiskNeed]
    /// How long it would take, from a sample of the rows and the disk's rate; nil if nothing was measured.
    public var seconds: Double?
    /// The size of the sample.
    public var sampleBytes: Int?
    /// `wal` or `rollback journal`.
    public var journalMode: String

    /// The space that a vacuum needs in one folder.
    public struct DiskNeed: Sendable, Equatable {
        public var folder: String
        public var bytes: Int
        /// What the space is for.
        public var purpose: String
        /// Nil if the file system does not say.
        public var free: Int?
    }
}

/// What a vacuum did. All sizes are in bytes.
public struct VacuumReport: Sendable {
    public enum Method: String, Sendable {
        /// Only the forecast was requested.
        case forecast
        /// A verified copy's pages replaced the old ones, in one transaction under an exclusive lock.
        case installed
        /// SQLite's own VACUUM ran, since other programs had the file open.
        case inPlace
        /// Free pages were returned in slices.
        case incremental
        /// The copy was written to another file.
        case into
    }

    public var path: String
    public var method: Method
    public var forecast: VacuumForecast
    public var bytesAfter: Int
    public var tablesCompared = 0
    public var rowsCompared = 0
    /// How many times the copy was made: again if another program committed meanwhile.
    public var copies = 0
    public var seconds = 0.0
    public var notes: [String] = []
}

/// The progress of a vacuum.
public enum VacuumEvent: Sendable {
    case copying
    case verifying(table: String)
    case installing(done: Int, total: Int)
}
