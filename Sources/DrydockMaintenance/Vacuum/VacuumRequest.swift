/// What `drydock vacuum` is asked. All sizes are in bytes.
public struct VacuumRequest: Sendable {
    public var path: String
    /// Only says what would happen.
    public var isForecast = false
    /// Where the vacuumed copy is to stay; the database itself is then left alone.
    public var into: String?
    /// Gives free pages back without moving rows, at most so many; of a database with incremental auto_vacuum.
    public var incrementalPages: Int?
    public var pageSize: Int?
    /// Gathers statistics for the query planner afterwards.
    public var analyzes = false
    /// Where the copy is made; beside the database when nil.
    public var temporaryFolder: String?
    /// How long to wait for others' locks.
    public var busyTimeout: Duration = .seconds(5)

    public init(path: String) { self.path = path }
}

/// What a vacuum will need and give, from the pages as they are.
public struct VacuumForecast: Sendable, Equatable {
    public var bytes: Int
    public var bytesAfter: Int
    public var freelistBytes: Int
    public var needs: [DiskNeed]
    /// How long it would take, from a sample of the rows and the disk's rate; nil where nothing was measured.
    public var seconds: Double?
    /// How large the sample was.
    public var sampleBytes: Int?
    /// In the write-ahead log, or not.
    public var journalMode: String

    public struct DiskNeed: Sendable, Equatable {
        public var folder: String
        public var bytes: Int
        /// What it is for.
        public var purpose: String
        /// nil where the file system does not say.
        public var free: Int?
    }
}

/// What a vacuum did.
public struct VacuumReport: Sendable {
    public enum Method: String, Sendable {
        /// Nothing was asked but the forecast.
        case forecast
        /// A verified copy's pages took the place of the old ones, in one transaction under an exclusive lock.
        case installed
        /// SQLite's own VACUUM, since others had the file open.
        case inPlace
        /// Free pages were given back in slices.
        case incremental
        /// The copy stays beside.
        case into
    }

    public var path: String
    public var method: Method
    public var forecast: VacuumForecast
    public var bytesAfter: Int
    public var tablesCompared = 0
    public var rowsCompared = 0
    /// How many times the copy was made: again when somebody committed meanwhile.
    public var copies = 0
    public var seconds = 0.0
    public var notes: [String] = []
}

/// What is going on, for whoever waits.
public enum VacuumEvent: Sendable {
    case copying
    case verifying(table: String)
    case installing(done: Int, total: Int)
}
