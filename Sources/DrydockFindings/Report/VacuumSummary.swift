/// What a vacuum did, or would do. All sizes are in bytes.
public struct VacuumSummary: Sendable, Codable {
    public enum Method: String, Sendable, Codable {
        /// Only the forecast was requested.
        case forecast
        /// The file has no byte, which is an empty database; nothing was written.
        case untouched
        /// A verified copy's pages replaced the old ones, in one transaction under an exclusive lock.
        case installed
        /// SQLite's own VACUUM ran, since other programs had the file open.
        case inPlace
        /// Free pages were returned in slices.
        case incremental
        /// The copy was written to another file.
        case into
    }

    public var database: String
    public var method: Method
    public var forecast: VacuumForecast
    public var bytesAfter: Int
    public var tablesCompared = 0
    public var rowsCompared = 0
    /// How many times the copy was made: again if another program committed meanwhile.
    public var copies = 0
    public var notes: [String] = []

    /// A vacuum that has only been planned.
    public init(database: String, forecast: VacuumForecast) {
        (self.database, self.forecast) = (database, forecast)
        (method, bytesAfter) = (.forecast, forecast.bytesAfter)
    }
}

/// What a vacuum will need and free, estimated from the current pages. All sizes are in bytes.
public struct VacuumForecast: Sendable, Equatable, Codable {
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

    public init(
        bytes: Int, bytesAfter: Int, freelistBytes: Int, needs: [DiskNeed], journalMode: String
    ) {
        (self.bytes, self.bytesAfter, self.freelistBytes) = (bytes, bytesAfter, freelistBytes)
        (self.needs, self.journalMode) = (needs, journalMode)
    }
}
