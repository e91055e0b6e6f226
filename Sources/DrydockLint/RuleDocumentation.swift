import DrydockFindings

/// The documentation of the rules of `drydock lint`, generated from each rule's texts.
public enum RuleDocumentation {
    /// The text of `docs/rules.md`.
    public static var markdown: String {
        var text = """
            # The rules of drydock lint

            <!-- Made by `drydock lint --list-rules --format markdown`; a test holds it to that. -->

            `transaction-ended` and `pragma-ignored` are `drydock verify`'s own and need no row: a BEGIN, COMMIT or
            ROLLBACK in a transaction that the tool opened, and a PRAGMA that does nothing where it stands. A
            statement that does not compile is `migration-failed`. A migration in code is `migration-in-code`, a
            warning: it is not linted, and what follows it is, as if it did not change the schema.


            """
        for rule in LintRules.all {
            let severity = rule.severity.map { "\($0.rawValue) by default" } ?? "off by default"
            text += "## `\(rule.rule.rawValue)`\n\n"
            text +=
                "\(rule.text.summary.prefix(1).uppercased() + rule.text.summary.dropFirst()) (\(severity)).\n\n"
            text += rule.text.detail + "\n\n"
            if let bad = rule.text.bad { text += "```sql\n\(bad)\n```\n\n" }
            if let good = rule.text.good { text += "Better:\n\n```sql\n\(good)\n```\n\n" }
        }
        while text.hasSuffix("\n\n") { text.removeLast() }
        return text
    }

    /// The list of rules, one on a line.
    public static var list: String {
        let names = LintRules.all.map(\.rule.rawValue)
        let width = names.map(\.count).max() ?? 0
        return LintRules.all.map { rule in
            let name = rule.rule.rawValue
            let severity = rule.severity?.rawValue ?? "off"
            return name + String(repeating: " ", count: width - name.count + 2)
                + severity + String(repeating: " ", count: 9 - severity.count) + rule.text.summary + "\n"
        }.joined()
    }
}
