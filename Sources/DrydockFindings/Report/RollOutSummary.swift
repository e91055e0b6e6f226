/// What was done to many live databases, or would be.
public struct RollOutSummary: Sendable {
    public enum Mode: String, Sendable {
        case check, rehearsal, apply
    }

    public enum Outcome: String, Sendable, Codable {
        /// Nothing is pending.
        case upToDate = "up-to-date"
        /// Only a list of what is pending was requested.
        case pending
        /// The migrations ran on a copy; the database is unchanged.
        case rehearsed
        /// The database is migrated.
        case applied
        /// Findings, or an error, kept it from being migrated; the database is unchanged.
        case failed
        /// Another program held it, also at the end.
        case busy
        /// The migrations were installed but do not read back as written: the disk is failing.
        case damaged
        /// The roll-out stopped before.
        case notReached = "not-reached"
    }

    /// The result for one database.
    public struct Database: Sendable, Codable {
        public var path: String
        /// The newest migration that it has now; nil if it has none or that is not known.
        public var version: String?
        /// Whether its history was read. If not, nothing is known of its version.
        public var isRead = true
        public var outcome: Outcome
        public var pending = 0
        /// Whether its schema differs from a fresh install of its version.
        public var hasDrifted = false
        public var seconds = 0.0
        public var backup: String?
        /// Why it is not at the newest version.
        public var reason: String?

        public init(path: String, outcome: Outcome) { (self.path, self.outcome) = (path, outcome) }
    }

    /// The databases that are migrated before the next ones begin.
    public struct Wave: Sendable, Codable {
        public var name: String
        public var count: Int
        public var applied = 0
        public var failed = 0
        public var seconds = 0.0

        public init(name: String, count: Int) { (self.name, self.count) = (name, count) }
    }

    public var mode: Mode
    /// In the order in which they were named.
    public var databases: [Database] = []
    /// Only those that began.
    public var waves: [Wave] = []
    /// Why not all databases were reached.
    public var stopped: String?
    /// The file that says which database has which version.
    public var log: String?

    public init(_ mode: Mode) { self.mode = mode }

    public func count(_ outcome: Outcome) -> Int { databases.count { $0.outcome == outcome } }

    /// The number of databases at each version, the most frequent first. What could not be read is not among them.
    public var versions: [(version: String?, count: Int)] {
        Dictionary(grouping: databases.filter(\.isRead), by: \.version).map {
            (version: $0.key, count: $0.value.count)
        }
        .sorted { ($1.count, $0.version ?? "") < ($0.count, $1.version ?? "") }
    }

    /// The number of databases that could not be read.
    public var unread: Int { databases.count { !$0.isRead } }

    var isFailure: Bool {
        databases.contains { ![.upToDate, .rehearsed, .applied].contains($0.outcome) }
    }
}
