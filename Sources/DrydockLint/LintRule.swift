import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// A rule of `drydock lint`, which reads migrations and runs no row through them.
///
/// A rule is one file in Rules/, registered in ``LintRules/all``. It says what is wrong in any of three
/// places; where it says nothing, nothing is wrong.
protocol LintRule: Sendable {
    var rule: Rule { get }
    /// Nil for a rule that is off until drydock.yml or the command line turns it on.
    var severity: Finding.Severity? { get }
    /// Whether it says that something is missing, which code that was not read may have made.
    var speaksOfMissing: Bool { get }

    /// One statement, with the schema that it meets and the one that it leaves.
    func check(_ step: LintStep) -> [LintFault]
    /// A whole migration.
    func check(_ migration: LintMigration) -> [LintFault]
    /// What all migrations together have made.
    func check(_ end: LintEnd) -> [LintFault]
}

extension LintRule {
    var speaksOfMissing: Bool { false }
    func check(_ step: LintStep) -> [LintFault] { [] }
    func check(_ migration: LintMigration) -> [LintFault] { [] }
    func check(_ end: LintEnd) -> [LintFault] { [] }
}

/// A rule that a statement breaks.
struct LintFault {
    /// Nil for the rule's own.
    var severity: Finding.Severity?
    /// The fact, and what will happen on real data.
    var message: String
    var help: Help
    /// Where it is; nil for the file as a whole.
    var statement: SQLStatement?
    /// What it points at within the statement.
    var token: Token?
    /// The migration, where it is not the one that is looked at.
    var migration: Migration?
    var table: String?
    var column: String?
    /// The rewrite that is certain to mean what was meant.
    var edits: [SQLEdit] = []
    /// Whether the fault is there in the schema that all migrations leave. One that a later migration mends
    /// weighs less; nil for what no later migration can mend.
    var stands: (@Sendable (Schema) -> Bool)?

    init(
        _ severity: Finding.Severity? = nil, _ message: String, help: some HelpConvertible = "",
        at statement: SQLStatement? = nil, token: Token? = nil, table: String? = nil, column: String? = nil,
        edits: [SQLEdit] = []
    ) {
        self.severity = severity
        self.message = message
        self.help = help.asHelp
        self.statement = statement
        self.token = token
        self.table = table
        self.column = column
        self.edits = edits
    }
}

/// How a rule counts: as drydock.yml and `--rule` say it.
public enum LintSeverity: String, Sendable, CaseIterable {
    case off, note, warning, error

    var severity: Finding.Severity? { Finding.Severity(rawValue: rawValue) }
}

extension LintRule {
    /// What the documentation says of it.
    var text: LintRuleText { rule.lintText ?? LintRuleText(summary: "", detail: "") }
}
