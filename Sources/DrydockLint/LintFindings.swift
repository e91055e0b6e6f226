import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// The sink of findings: it gives each the severity that the project wants, and leaves out those that a declaration
/// ignores.
struct LintFindings: Sendable {
    /// Possible fixes of a finding.
    struct Proposal: Sendable {
        /// The finding's index.
        var finding: Int
        var path: String
        var edits: [SQLEdit]
    }

    /// The rules that are on, with the severity that the project gives them; nil for the rule's own.
    let rules: [(rule: any LintRule, severity: Finding.Severity?)]
    private let severities: [Rule: LintSeverity]

    private(set) var findings: [Finding] = []
    var notChecked: [NotChecked] = []
    private(set) var proposals: [Proposal] = []
    /// The declarations that ignored something.
    private var used: Set<Declaration> = []
    /// Findings that a later migration may fix.
    private var pending: [(finding: Int, stands: @Sendable (Schema) -> Bool)] = []

    init(severities: [Rule: LintSeverity]) {
        self.severities = severities
        rules = LintRules.all.compactMap { rule in
            guard let own = severities[rule.rule] else {
                return rule.severity == nil ? nil : (rule, nil)
            }
            return own == .off ? nil : (rule, own.severity)
        }
    }

    func checks(_ rule: Rule) -> Bool { rules.contains { $0.rule.rule == rule } }

    /// Adds a finding that no project setting changes.
    mutating func add(_ finding: Finding) { findings.append(finding) }

    /// Adds a finding about a migration, which the project's settings and declarations apply to.
    mutating func add(_ finding: Finding, to migration: Migration) {
        let own = severities[finding.rule]
        guard own != .off, !isIgnored(by: migration.ignore(of: finding.rule, at: finding.place)) else {
            return
        }
        var finding = finding
        finding.severity = own?.severity ?? finding.severity
        findings.append(finding)
    }

    /// Adds the faults that each rule finds.
    /// - Parameters:
    ///   - migration: The migration of those that name none.
    ///   - code: The last migration in code so far, which may have created what is missing.
    mutating func add(
        to migration: Migration?, behind code: CodeMigration?, _ check: (any LintRule) -> [LintFault]
    ) {
        for (rule, severity) in rules {
            for fault in check(rule) {
                guard let migration = fault.migration ?? migration else { continue }
                add(fault, of: rule, severity, migration, behind: code)
            }
        }
    }

    private mutating func add(
        _ fault: LintFault, of rule: any LintRule, _ severity: Finding.Severity?, _ migration: Migration,
        behind code: CodeMigration?
    ) {
        var place = Finding.Place(file: migration.path)
        if let statement = fault.statement {
            let offset = fault.token.map { $0.range.lowerBound - statement.range.lowerBound }
            place = Finding.Place(statement, offset: offset)
        }
        guard !isIgnored(by: migration.ignore(of: rule.rule, in: fault.statement)) else { return }
        var (weight, help) = (fault.severity ?? rule.severity ?? .warning, fault.help)
        if let code, rule.speaksOfMissing, weight == .error {
            weight = .warning
            help = "Unless \(code.migration.path) creates it. " + help
        }
        findings.append(
            Finding(
                rule.rule, severity ?? weight, fault.message, help: help, migration: migration.identifier,
                place: place, table: fault.table,
                column: fault.column))
        let number = findings.count - 1
        if let stands = fault.stands, severity == nil { pending.append((number, stands)) }
        guard !fault.edits.isEmpty, let source = fault.statement?.source else { return }
        proposals.append(Proposal(finding: number, path: source.name, edits: fault.edits))
    }

    /// Lowers the severity of findings that later migrations have fixed.
    mutating func settle(_ end: Schema) {
        for (index, stands) in pending where !stands(end) {
            findings[index].severity = findings[index].severity == .error ? .warning : .note
            findings[index].advice = "A later migration fixes it. " + findings[index].advice
        }
        pending = []
    }

    // MARK: - Declarations

    private mutating func isIgnored(by declaration: Declaration?) -> Bool {
        if let declaration { used.insert(declaration) }
        return declaration != nil
    }

    /// Adds a finding for each declaration that ignores a rule which nothing breaks.
    mutating func addUnusedIgnores(of migrations: [Migration]) {
        for migration in migrations {
            for declaration in migration.declarations {
                guard case .ignores(let rule, _) = declaration.kind, !used.contains(declaration),
                    Rule.ofLint.contains(rule), severities[rule] != .off,
                    rules.allSatisfy({ $0.rule.rule != rule || $0.rule.showsAll })
                else { continue }
                findings.append(
                    Finding(
                        .unusedDeclaration, .warning, "nothing here breaks \(rule.rawValue)",
                        help: "Remove '\(declaration.text)'.", migration: migration.identifier,
                        place: declaration.place))
            }
        }
    }
}
