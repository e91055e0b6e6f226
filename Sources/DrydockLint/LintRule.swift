import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// A rule of `drydock lint`, which reads migrations without running a row through them.
///
/// A rule is one file in Rules/, registered in ``LintRules/all``. It can report faults in any of three places.
protocol LintRule: Sendable {
    var rule: Rule { get }
    /// Nil for a rule that is off until drydock.yml or the command line turns it on.
    var severity: Finding.Severity? { get }
    /// What the rule is about, with an example.
    var text: LintRuleText { get }
    /// Whether the rule reports that something is missing, which unread code may have created.
    var speaksOfMissing: Bool { get }
    /// Whether reading shows all that a replay can report under the rule, so that a declaration may be called unused.
    var showsAll: Bool { get }

    /// Checks one statement, with the schemas before and after it.
    func check(_ step: LintStep) -> [LintFault]
    /// Checks a whole migration.
    func check(_ migration: LintMigration) -> [LintFault]
    /// Checks what all migrations together have created.
    func check(_ end: LintEnd) -> [LintFault]
}

extension LintRule {
    var speaksOfMissing: Bool { false }
    var showsAll: Bool { true }
    func check(_ step: LintStep) -> [LintFault] { [] }
    func check(_ migration: LintMigration) -> [LintFault] { [] }
    func check(_ end: LintEnd) -> [LintFault] { [] }
}

/// The documentation of a rule; `docs/rules.md` is generated from it.
package struct LintRuleText: Sendable {
    /// What is true if the rule is broken, in one line.
    package var summary: String
    /// What happens to users' databases, and what to do.
    package var detail: String
    /// SQL that breaks the rule, and the same SQL corrected; nil if an example would say nothing.
    package var bad: String?
    package var good: String?
}

/// A violation of a rule by a statement.
struct LintFault {
    /// Nil for the severity of the rule.
    var severity: Finding.Severity?
    /// The fact, and what will happen on real data.
    var message: String
    var help: Help
    /// Where it is; nil for the file as a whole.
    var statement: SQLStatement?
    /// The token within the statement that the finding points to.
    var token: Token?
    /// The migration, where it is not the one being checked.
    var migration: Migration?
    var table: String?
    var column: String?
    /// A rewrite that certainly keeps the intended meaning.
    var edits: [SQLEdit] = []
    /// Whether the fault exists in the schema that all migrations leave. A fault that a later migration fixes has a
    /// lower severity; nil where no later migration can fix it.
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

/// How a rule counts, as set by drydock.yml or `--rule`.
public enum LintSeverity: String, Sendable, CaseIterable {
    case off, note, warning, error

    var severity: Finding.Severity? { Finding.Severity(rawValue: rawValue) }
}
