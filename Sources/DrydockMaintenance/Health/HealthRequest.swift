import DatabaseEngine

/// What a health check is asked for.
public struct HealthRequest: Sendable {
    /// Paths, in which `*`, `?` and `[...]` stand for names.
    public var databases: [String] = []
    /// Every page and every index entry is read, not only the structure.
    public var isDeep = false
    /// How long the run may take for each database; nil for as long as it needs.
    public var budget: Duration?
    /// How long a read transaction may last.
    public var slice = Duration.milliseconds(250)
    /// How many databases are read at once.
    public var jobs = 1
    /// Names of checks; empty for all.
    public var only: Set<String> = []
    public var without: Set<String> = []
    /// By check, instead of the check's own.
    public var thresholds: [String: HealthThreshold] = [:]
    /// Where known findings are kept; one that is not there knows none.
    public var baseline: String?
    /// Writes what is found to the baseline.
    public var accepts = false
    /// Where a run notes what its budget was not enough for, and goes on from; nil to begin at the
    /// beginning.
    public var progress: String?
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []

    /// Every check that can look at a table in ranges of its keys does so at once.
    var isRanged = false

    public init() {}
}
