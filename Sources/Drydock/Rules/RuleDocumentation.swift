import DrydockFindings
import DrydockLint
import DrydockMaintenance

/// The documentation of all rules, generated from each rule's texts.
public enum RuleDocumentation {
    /// The text of `docs/rules.md`.
    public static var markdown: String {
        let ofLint = LintRules.severities.map(\.rule)
        let rules = ofLint + Rule.allCases.filter { !ofLint.contains($0) }
        return introduction + rules.map(section).joined(separator: "\n\n") + "\n"
    }

    private static let introduction = """
        # The rules

        <!-- Made by `drydock lint --list-rules --format markdown`; a test compares it. -->

        The rules of `drydock lint` come first, then those of the other commands: [verify](verify.md),
        [health](health.md), [diff](diff.md), [vacuum](vacuum.md), [migrate](migrate.md), [lock](lock.md).

        `transaction-ended` and `pragma-ignored` are `drydock verify`'s own and need no row: a BEGIN, COMMIT or
        ROLLBACK in a transaction that the tool opened, and a PRAGMA that has no effect there. A
        statement that does not compile is `migration-failed`. A migration in code is `migration-in-code`, a
        warning: it is not linted, and later migrations are linted as if it did not change the schema.


        """

    /// Returns all that commands say of a rule, below its identifier.
    private static func section(_ rule: Rule) -> String {
        let (lint, health) = (rule.lintText, HealthChecks.texts[rule])
        var parts = ["## `\(rule.rawValue)`"]
        if let lint { parts += lines(rule, lint) }
        if let text = rule.text {
            parts.append(
                words("`drydock verify`", isShared: lint != nil || health != nil, text.summary, text.why))
        }
        if let health {
            parts.append(
                words(
                    "`drydock health`", isShared: lint != nil || rule.text != nil, health.summary, health.why)
            )
        }
        return parts.joined(separator: "\n\n")
    }

    private static func lines(_ rule: Rule, _ text: LintRuleText) -> [String] {
        let severity = LintRules.severities.first { $0.rule == rule }?.severity?.rawValue ?? "off"
        return ["\(capitalized(text.summary)) (\(severity) by default).", text.detail]
            + (text.bad.map { ["```sql\n\($0)\n```"] } ?? [])
            + (text.good.map { ["Better:\n\n```sql\n\($0)\n```"] } ?? [])
    }

    /// Returns the words of one command, which is named where several check the rule.
    private static func words(_ command: String, isShared: Bool, _ summary: String, _ why: String?) -> String
    {
        (isShared ? "\(command): \(summary)." : "\(capitalized(summary)).") + (why.map { " " + $0 } ?? "")
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }

    /// The list of the rules of `drydock lint`, one on a line.
    public static var list: String {
        let rules = LintRules.severities
        let width = rules.map(\.rule.rawValue.count).max() ?? 0
        return rules.map { rule, severity in
            let (name, severity) = (rule.rawValue, severity?.rawValue ?? "off")
            return name + String(repeating: " ", count: width - name.count + 2)
                + severity + String(repeating: " ", count: 9 - severity.count)
                + (rule.lintText?.summary ?? "") + "\n"
        }.joined()
    }
}
