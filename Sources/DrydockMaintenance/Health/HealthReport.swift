import DrydockFindings

/// What `drydock health` found: plain values, ready to be rendered.
public struct HealthReport: Sendable {
    /// In the order in which they were named.
    public var databases: [DatabaseHealth] = []
    /// Wall-clock seconds of the whole run.
    public var seconds: Double = 0
    /// Seconds since 1970 when the run ended.
    public var finishedAt: Double = 0
    /// Where the known findings are kept, and how many of them were written; nil where none were.
    public var accepted: (path: String, count: Int)?

    public init() {}

    public var findings: [HealthFinding] { databases.flatMap(\.findings) }

    /// No database has a finding that is more than a note.
    public var isHealthy: Bool { !findings.contains { $0.severity > .note } }

    /// A database could not be asked at all.
    public var hasTrouble: Bool { databases.contains { $0.trouble != nil } }
}

/// How one database is.
public struct DatabaseHealth: Sendable {
    /// As it was named.
    public var path: String
    public var findings: [HealthFinding] = []
    public var measures: [HealthMeasure] = []
    public var notReached: [NotReached] = []
    /// What was not looked at in a database that has errors anyway. It counts once these are known.
    var gapsBehindErrors: [HealthFinding] = []
    /// Checks that were made, by name.
    public var checked: [String] = []
    /// Findings that the baseline knows.
    public var knownCount = 0
    /// Why nothing could be asked, such as a file that is not there.
    public var trouble: String?
    /// Wall-clock seconds.
    public var seconds: Double = 0

    public init(path: String) { self.path = path }

    /// What a run did not come to, and why.
    public struct NotReached: Sendable {
        public var check: String
        /// The table that was not reached; nil where nothing of the check was.
        public var table: String?
        public var reason: String
        public var cause = Cause.run
        /// From where on the table was not reached.
        var place: HealthRange.Place?

        public init(check: String, table: String? = nil, reason: String, cause: Cause = .run) {
            (self.check, self.table, self.reason, self.cause) = (check, table, reason, cause)
        }

        /// What kept the run from it.
        public enum Cause: Sendable {
            /// Its time, or others who write: another run may come to it.
            case run
            /// The database: something in it cannot be read here.
            case database
            /// Every table was looked at; only what one look at the whole of it shows is missing.
            case wholeFile
        }
    }
}

/// Something that is wrong with a database.
public struct HealthFinding: Sendable {
    /// The check's name.
    public var check: String
    public var severity: Finding.Severity
    /// The fact, in a sentence without a final full stop.
    public var message: String
    /// What to do about it. Several lines where SQL is proposed.
    public var help: String
    public var table: String?
    /// What of the table: an index, a key, a trigger, a column.
    public var object: String?
    public var evidence: Evidence?
    /// It says something of this run and not of the database, so it cannot be accepted as known.
    public var isOfRun = false
    /// It says that something was not looked at.
    public var isGap = false

    public init(
        _ check: String, _ severity: Finding.Severity, _ message: String, help: String, table: String? = nil,
        object: String? = nil, evidence: Evidence? = nil
    ) {
        (self.check, self.severity, self.message, self.help) = (check, severity, message, help)
        (self.table, self.object, self.evidence) = (table, object, evidence)
    }
}

/// A figure of a database, in base units.
public struct HealthMeasure: Sendable, Hashable {
    public enum Unit: String, Sendable { case bytes, ratio, rows, frames }

    /// In lower case with underscores, such as `freelist_ratio`.
    public var name: String
    public var help: String
    public var unit: Unit
    public var value: Double
    /// In the unit that people are given: percent for a ratio.
    public var threshold: HealthThreshold?

    public init(
        _ name: String, _ unit: Unit, _ value: Double, _ help: String, threshold: HealthThreshold? = nil
    ) {
        (self.name, self.unit, self.value, self.help) = (name, unit, value, help)
        self.threshold = threshold
    }
}
