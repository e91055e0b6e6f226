import DatabaseEngine
import DrydockFiles
import DrydockFindings

/// A request for a health check.
public struct HealthRequest: Sendable {
    /// Paths, in which `*`, `?` and `[...]` stand for names.
    public var databases: [String] = []
    /// Whether every page and every index entry is read, not only the structure.
    public var isDeep = false
    /// How long the run may take for each database; nil for no limit.
    public var budget: Duration?
    /// How long a read transaction may last.
    public var slice = Duration.milliseconds(250)
    /// The number of databases that are read at once.
    public var jobs = 1
    /// Names of checks; empty for all.
    public var only: Set<String> = []
    public var without: Set<String> = []
    /// Thresholds by check, in place of the check's own.
    public var thresholds: [String: HealthThreshold] = [:]
    /// The file of known findings; one that does not exist contains none.
    public var baseline: String?
    /// Whether the findings are written to the baseline.
    public var accepts = false
    /// The file in which a run records what its budget did not cover, and from which the next continues; nil to start
    /// at the beginning.
    public var progress: String?
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []

    /// The databases, in place of ``databases``, just as they are.
    package var listed: [String]?
    /// Results that are known already, and where those of this run go; nil to keep none.
    package var kept: KeptResults?

    /// Whether every check that can read a table in ranges of its keys does so at once.
    var isRanged = false

    public init() {}
}
