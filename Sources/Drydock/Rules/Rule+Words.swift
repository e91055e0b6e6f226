import DrydockFindings
import DrydockLint
import DrydockMaintenance

/// The words of a rule, wherever it has them: of a replay, of lint or of health.
extension Rule {
    /// What is true if the rule is broken, in one line.
    public var summary: String {
        text?.summary ?? lintText?.summary ?? HealthChecks.texts[self]?.summary ?? ""
    }

    /// Why a broken rule matters to the people who have such a database; nil if the summary says it all.
    public var why: String? { text?.why ?? HealthChecks.texts[self]?.why }

    /// The documentation of a rule of `drydock lint`; nil for the other rules.
    package var lintText: LintRuleText? { LintRules.texts[self] }

    /// Whether only `drydock health` checks the rule.
    package var isOfHealthAlone: Bool { text == nil && lintText == nil }
}

extension Finding {
    /// Why it matters to the people who have such a database; nil if the rule's summary says it all.
    public var why: String? {
        if rule == .migrationFailed, tags.contains(.notChecked) {
            return "Whether it runs for users is not known."
        }
        if tags.contains(.freshInstall) {
            let fact = "No new user can install the app"
            return snapshot == nil
                ? "\(fact): it ends here."
                : [rule.why, "\(fact) either."].compactMap(\.self).joined(separator: " ")
        }
        // A dropped table without a row, or column without a value, lost nothing of a user's.
        guard evidence?.rowCount == 0 else { return rule.why }
        switch rule {
        case .columnDropped: return "No value is lost; a query that names the column fails."
        case .tableDropped: return "No row is lost; a query that names the table fails."
        default: return rule.why
        }
    }
}
