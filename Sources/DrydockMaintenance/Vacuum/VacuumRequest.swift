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

/// The progress of a vacuum.
public enum VacuumEvent: Sendable {
    case copying
    case verifying(table: String)
    case installing(done: Int, total: Int)
}
