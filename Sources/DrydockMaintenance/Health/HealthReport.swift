import DrydockFindings

/// The findings of `drydock health`: plain values, ready to be rendered.
public struct HealthReport: Sendable {
    /// The databases in the order in which they were named.
    public var databases: [DatabaseHealth] = []
    /// Wall-clock seconds of the whole run.
    public var seconds: Double = 0
    /// When the run ended, in seconds since 1970.
    public var finishedAt: Double = 0
    /// Where the known findings are kept, and how many of them were written; nil if none were.
    public var accepted: (path: String, count: Int)?

    public init() {}

    public var findings: [HealthFinding] { databases.flatMap(\.findings) }

    /// Whether no database has a finding above a note.
    public var isHealthy: Bool { !findings.contains { $0.severity > .note } }

    /// Whether a database could not be read at all.
    public var hasTrouble: Bool { databases.contains { $0.trouble != nil } }
}

/// The health of one database.
public struct DatabaseHealth: Sendable {
    /// The path as given.
    public var path: String
    public var findings: [HealthFinding] = []
    public var measures: [HealthMeasure] = []
    public var notReached: [NotReached] = []
    /// What was not checked in a database that has errors anyway. It counts once these errors are known.
    var gapsBehindErrors: [HealthFinding] = []
    /// The names of the checks that were made.
    public var checked: [String] = []
    /// The number of findings that the baseline knows.
    public var knownCount = 0
    /// Why nothing could be checked, such as a file that does not exist.
    public var trouble: String?
    /// Wall-clock seconds.
    public var seconds: Double = 0

    public init(path: String) { self.path = path }

    /// Something that a run did not reach, and why.
    public struct NotReached: Sendable {
        public var check: String
        /// The table that was not reached; nil if no part of the check was.
        public var table: String?
        public var reason: String
        public var cause = Cause.run
        /// The place from which the table was not reached.
        var place: HealthRange.Place?

        public init(check: String, table: String? = nil, reason: String, cause: Cause = .run) {
            (self.check, self.table, self.reason, self.cause) = (check, table, reason, cause)
        }

        /// What kept the run from reaching it.
        public enum Cause: Sendable {
            /// The run's time was over: the next run continues here.
            case time
            /// Other writers: another run may reach it.
            case run
            /// The database: something in it cannot be read here.
            case database
            /// Every table was checked; only what needs the whole file at once is missing.
            case wholeFile

            /// Whether another run may reach it.
            var isOfRun: Bool { self == .time || self == .run }
        }
    }
}

/// A fault of a database.
public struct HealthFinding: Sendable {
    /// The check's name.
    public var check: String
    public var severity: Finding.Severity
    /// The fact, in a sentence without a final full stop.
    public var message: String
    /// What to do about it. Several lines if SQL is proposed.
    public var help: String
    public var table: String?
    /// The object in the table: an index, a key, a trigger, a column.
    public var object: String?
    public var evidence: Evidence?
    /// Whether it is about this run and not the database, so that it cannot be accepted as known.
    public var isOfRun = false
    /// Whether it reports that something was not checked.
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
