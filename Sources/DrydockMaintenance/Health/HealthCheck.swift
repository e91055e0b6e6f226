import DrydockFindings
import SQLiteSchema

/// The checks of `drydock health`, each in a file of its own, the quick ones first. This is the one place
/// where a check is registered.
public enum HealthChecks {
    /// Why a name is no check's; nil where it is one's.
    package static func fault(ofName name: String) -> String? {
        guard !names.contains(name) else { return nil }
        let near = nearestName(to: name, in: names).map { "; did you mean '\($0)'?" }
        return "there is no check '\(name)'" + (near ?? ", they are: \(names.joined(separator: ", "))")
    }

    static let all: [any HealthCheck] = [
        FileHeaderCheck(), JournalCheck(), LogSizeCheck(), CheckpointCheck(), WriterVersionCheck(),
        DiskSpaceCheck(), PageSizeCheck(), FreelistCheck(), AutoVacuumCheck(), ObjectSizeCheck(),
        CompiledObjectsCheck(), ReadableTablesCheck(), DuplicateIndexCheck(), ForeignKeyIndexCheck(),
        PrimaryKeyCheck(),
        RowidHeadroomCheck(), IntegrityHealthCheck(), ForeignKeyCheck(), SearchIndexCheck(),
        SpatialIndexCheck(), StatisticsCheck(), FragmentationCheck(), TextEncodingCheck(), ColumnTypeCheck(),
    ]

    /// Name, what is wrong when it finds something, and its own threshold.
    public static var descriptions: [HealthCheckText] { all.map(\.text) }

    static func named(_ name: String) -> (any HealthCheck)? { all.first { $0.text.name == name } }

    public static var names: [String] { all.map(\.text.name) }
}

/// How a check is described.
public struct HealthCheckText: Sendable {
    /// As reports, drydock.yml and the command line have it.
    public var name: String
    /// What is wrong when it finds something.
    public var summary: String
    /// Why that matters.
    public var why: String
    /// Where the check is about a figure, and what the figure is.
    public var threshold: HealthThreshold?
    public var measured: String?

    init(
        _ name: String, _ summary: String, why: String, threshold: HealthThreshold? = nil,
        measured: String? = nil
    ) {
        (self.name, self.summary, self.why) = (name, summary, why)
        (self.threshold, self.measured) = (threshold, measured)
    }
}

/// One thing that can be wrong with a database.
protocol HealthCheck: Sendable {
    var text: HealthCheckText { get }

    /// It reads every row, and is made with `--deep` or when it is named.
    var isDeepOnly: Bool { get }

    /// No database is called healthy without it.
    var isVital: Bool { get }

    /// It can look at the tables one at a time.
    var isDivisible: Bool { get }

    /// Looks at the whole database.
    /// - Throws: ``EngineError`` or ``FileDamage`` when it cannot be made; it is then listed as not
    /// reached.
    func check(_ view: HealthView) throws -> HealthResult

    /// The tables that it can look at one at a time, where the whole takes too long.
    func parts(_ view: HealthView) -> [String]

    /// Looks at one table.
    func check(_ view: HealthView, part: String) throws -> HealthResult

    /// What is not seen where the tables are looked at one at a time.
    var seenInWholeOnly: String? { get }
}

extension HealthCheck {
    var isDeepOnly: Bool { false }
    var isVital: Bool { false }
    var isDivisible: Bool { false }
    var seenInWholeOnly: String? { nil }

    func parts(_ view: HealthView) -> [String] { [] }

    func check(_ view: HealthView, part: String) throws -> HealthResult { HealthResult() }

    func finding(
        _ severity: Finding.Severity, _ message: String, help: String, table: String? = nil,
        object: String? = nil, evidence: Evidence? = nil
    ) -> HealthFinding {
        HealthFinding(
            text.name, severity, message, help: help, table: table, object: object, evidence: evidence)
    }
}

/// What a check says.
struct HealthResult: Sendable {
    var findings: [HealthFinding] = []
    var measures: [HealthMeasure] = []
    /// What of it could not be asked.
    var notReached: [DatabaseHealth.NotReached] = []

    init(
        _ findings: [HealthFinding] = [], measures: [HealthMeasure] = [],
        notReached: [DatabaseHealth.NotReached] = []
    ) {
        (self.findings, self.measures, self.notReached) = (findings, measures, notReached)
    }

    static func += (result: inout HealthResult, more: HealthResult) {
        result.findings += more.findings
        result.measures += more.measures
        result.notReached += more.notReached
    }
}
