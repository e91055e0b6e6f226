import DrydockFindings
import SQLiteSchema

/// The checks of `drydock health`, each in its own file, the quick ones first. This is the only place where a check
/// is registered.
public enum HealthChecks {
    /// Returns why a name is not that of a check; nil if it is.
    package static func fault(ofName name: String) -> String? {
        guard !names.contains(identifier(name)) else { return nil }
        let near = nearestName(to: name, in: names).map { "; did you mean '\($0)'?" }
        return "there is no check '\(name)'" + (near ?? ", they are: \(names.joined(separator: ", "))")
    }

    /// Returns the identifier of the check that has a name, or had it in an earlier version.
    package static func identifier(_ name: String) -> String { Rule(named: name)?.rawValue ?? name }

    static let all: [any HealthCheck] = [
        FileHeaderCheck(), JournalCheck(), LogSizeCheck(), CheckpointCheck(), WriterVersionCheck(),
        DiskSpaceCheck(), PageSizeCheck(), FreelistCheck(), AutoVacuumCheck(), ObjectSizeCheck(),
        CompiledObjectsCheck(), ReadableTablesCheck(), DuplicateIndexCheck(), ForeignKeyIndexCheck(),
        PrimaryKeyCheck(),
        RowidHeadroomCheck(), IntegrityHealthCheck(), ForeignKeyCheck(), SearchIndexCheck(),
        SpatialIndexCheck(), StatisticsCheck(), FragmentationCheck(), TextEncodingCheck(), ColumnTypeCheck(),
    ]

    /// The name of each check, what is wrong if it finds something, and its default threshold.
    public static var descriptions: [HealthCheckText] { all.map(\.text) }

    /// The description of the check of each rule.
    package static let texts = Dictionary(uniqueKeysWithValues: descriptions.map { ($0.rule, $0) })

    static func of(_ rule: Rule) -> (any HealthCheck)? { all.first { $0.text.rule == rule } }

    public static var names: [String] { all.map(\.text.name) }
}

/// The description of a check.
public struct HealthCheckText: Sendable {
    /// The rule that it checks.
    public var rule: Rule
    /// What is wrong if it finds something, in one line.
    public var summary: String
    /// Why that matters.
    public var why: String
    /// The threshold, if the check is about a figure, and what the figure is.
    public var threshold: HealthThreshold?
    public var measured: String?

    init(
        _ rule: Rule, _ summary: String, why: String, threshold: HealthThreshold? = nil,
        measured: String? = nil
    ) {
        (self.rule, self.summary, self.why) = (rule, summary, why)
        (self.threshold, self.measured) = (threshold, measured)
    }

    /// The name in reports, drydock.yml and the command line.
    public var name: String { rule.rawValue }
}

/// One thing that can be wrong with a database.
protocol HealthCheck: Sendable {
    var text: HealthCheckText { get }

    /// Whether it reads every row, so that it runs only with `--deep` or when it is named.
    var isDeepOnly: Bool { get }

    /// Whether no database is called healthy without it.
    var isVital: Bool { get }

    /// Whether it can check the tables one at a time.
    var isDivisible: Bool { get }

    /// Checks the whole database.
    /// - Throws: ``EngineError`` or ``FileDamage`` if the check cannot be made; it is then listed as not reached.
    func check(_ view: HealthView) throws -> HealthResult

    /// Returns the tables that it can check one at a time, if the whole takes too long.
    func parts(_ view: HealthView) -> [String]

    /// Checks one table.
    func check(_ view: HealthView, part: String) throws -> HealthResult

    /// What is not found if the tables are checked one at a time.
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
        _ severity: Finding.Severity, _ sentence: some SentenceConvertible, help: String,
        table: String? = nil,
        object: String? = nil, evidence: Evidence? = nil
    ) -> Finding {
        var finding = Finding(text.rule, severity, sentence, help: help, table: table, evidence: evidence)
        finding.object = object
        return finding
    }

    /// Returns an error that says that the file is damaged.
    func damage(
        _ sentence: some SentenceConvertible, help: String, table: String? = nil, object: String? = nil,
        evidence: Evidence? = nil
    ) -> Finding {
        var finding = finding(
            .error, sentence, help: help, table: table, object: object, evidence: evidence)
        finding.tags.append(.damage)
        return finding
    }
}

/// The result of a check.
struct HealthResult: Sendable {
    var findings: [Finding] = []
    var measures: [HealthMeasure] = []
    /// What could not be checked.
    var notReached: [CheckedDatabase.NotReached] = []
    var trees: [CheckedDatabase.Tree] = []

    init(
        _ findings: [Finding] = [], measures: [HealthMeasure] = [],
        notReached: [CheckedDatabase.NotReached] = []
    ) {
        (self.findings, self.measures, self.notReached) = (findings, measures, notReached)
    }

    /// Whether it is about damage. SQLite then has pages in memory that it took for sound at the second look.
    var isOfDamage: Bool {
        findings.contains { $0.tags.contains(.damage) } || notReached.contains(where: \.isDamage)
    }

    static func += (result: inout HealthResult, more: HealthResult) {
        result.findings += more.findings
        result.measures += more.measures
        result.notReached += more.notReached
    }
}
