/// What `drydock verify`, `drydock lint`, `drydock lock` or `drydock migrate` found: plain values, ready to be rendered.
public struct VerifyReport: Sendable {
    public var findings: [Finding] = []
    public var replays: [ReplaySummary] = []
    public var notChecked: [NotChecked] = []
    /// The name of the format in which the migrations were read.
    public var migrationFormat: String?
    /// Wall-clock seconds of the whole run.
    public var seconds: Double = 0
    /// Whether warnings count as failures.
    public var isStrict = false
    /// What was locked; nil where the report is not of `drydock lock`.
    public var lock: LockSummary?
    /// What was read, where migrations were linted and not replayed.
    public var lint: LintSummary?
    /// What was or would be done to a live database.
    public var migrate: MigrateSummary?

    public init() {}

    /// The command that made it.
    public var command: String {
        migrate != nil ? "migrate" : lock != nil ? "lock" : lint != nil ? "lint" : "verify"
    }

    public var hasPassed: Bool {
        !findings.contains { $0.severity == .error || isStrict && $0.severity == .warning }
            && migrate?.isFailure != true
    }
}

/// How one snapshot was replayed.
public struct ReplaySummary: Sendable {
    public var snapshot: String
    /// What reports call it: ``SnapshotNames``.
    public var name: String
    /// What it was, where it had applied no migration of the folder.
    public var start = Start.unknown
    /// The newest migration that the snapshot had applied; nil for none.
    public var from: String?
    /// The newest migration that it has at the end of the replay.
    public var to: String?
    public var steps: [Step] = []
    /// How many pending migrations were not run, since the replay stopped before them.
    public var pendingCount = 0
    /// Rows that were held against what they were, over all steps.
    public var rowsCompared = 0
    /// Tables none of whose pages changed, so that no row had to be read, over all steps.
    public var tablesUntouched = 0
    /// How the snapshot's own faults are known.
    public var baseline = BaselineSource.checked
    /// How many tables `integrity_check` read after the replay; nil for the whole database.
    public var tablesChecked: Int?
    /// Tables whose integrity could not be checked in the end.
    public var integrityUnchecked = 0
    /// Wall-clock seconds, checks included.
    public var seconds: Double = 0

    public init(snapshot: String) {
        self.snapshot = snapshot
        name = SnapshotNames([snapshot]).name(of: snapshot)
    }

    /// What a database is that has applied no migration of the folder.
    public enum Start: String, Sendable {
        /// It holds nothing, or only its tool's history.
        case empty
        /// It holds what was there before the first migration.
        case base
        /// It holds what no migration of the folder made, or could not be asked.
        case unknown
    }

    public enum BaselineSource: String, Sendable {
        /// Every check was made in this run.
        case checked
        /// An earlier run made them, and the file's size, times and inode are what they were.
        case knownByStat = "known-by-stat"
        /// An earlier run made them on the same content.
        case knownByContent = "known-by-content"
    }

    public struct Step: Sendable {
        public var migration: String
        /// Wall-clock seconds that the migration took, checks not included.
        public var seconds: Double
        /// Database pages whose bytes differ from before the step.
        public var pagesWritten: Int
        public var bytesWritten: Int
        /// Seconds of each statement, in order.
        public var statementSeconds: [Double]

        public init(
            migration: String, seconds: Double, pagesWritten: Int, bytesWritten: Int,
            statementSeconds: [Double]
        ) {
            self.migration = migration
            self.seconds = seconds
            self.pagesWritten = pagesWritten
            self.bytesWritten = bytesWritten
            self.statementSeconds = statementSeconds
        }
    }
}

/// A rule that could not be held, and why.
public struct NotChecked: Sendable, Hashable, Codable {
    public var rule: Rule
    public var reason: String
    public var snapshot: String?

    public init(_ rule: Rule, snapshot: String? = nil, reason: String) {
        self.rule = rule
        self.snapshot = snapshot
        self.reason = reason
    }
}
