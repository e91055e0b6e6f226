/// What `drydock health` checked.
public struct HealthSummary: Sendable {
    /// The databases in the order in which they were named.
    public var databases: [DatabaseHealth]
    /// When the run ended, in seconds since 1970.
    public var finishedAt: Double = 0
    /// Where the known findings are kept, and how many of them were written; nil if none were.
    public var accepted: (path: String, count: Int)?

    public init(databases: [DatabaseHealth] = []) { self.databases = databases }

    /// Whether a database could not be read at all.
    public var hasTrouble: Bool { databases.contains { $0.trouble != nil } }
}

/// How one database was checked. Its findings are those of the report that name its path.
public struct DatabaseHealth: Sendable, Codable {
    /// The path as given.
    public var path: String
    public var measures: [HealthMeasure] = []
    /// The checks that were made.
    public var checked: [Rule] = []
    /// The number of findings that the baseline knows.
    public var knownCount = 0
    /// Why nothing could be checked, such as a file that does not exist.
    public var trouble: String?
    /// Wall-clock seconds.
    public var seconds: Double = 0

    public init(path: String) { self.path = path }
}

/// A figure of a database, in base units.
public struct HealthMeasure: Sendable, Hashable, Codable {
    public enum Unit: String, Sendable, Codable { case bytes, ratio, rows, frames }

    /// The name in lower case with underscores, such as `freelist_ratio`.
    public var name: String
    public var help: String
    public var unit: Unit
    public var value: Double
    /// The threshold in the unit that people read: percent for a ratio.
    public var threshold: HealthThreshold?

    public init(
        _ name: String, _ unit: Unit, _ value: Double, _ help: String, threshold: HealthThreshold? = nil
    ) {
        (self.name, self.unit, self.value, self.help) = (name, unit, value, help)
        self.threshold = threshold
    }
}
