import DrydockFindings
import SQLiteSchema

/// `default-is-identifier`: a bare word after DEFAULT, which SQLite stores as text.
struct DefaultIdentifierRule: LintRule {
    let rule = Rule.defaultIsIdentifier
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "a DEFAULT is a bare word, which is stored as text",
        detail: """
            `DEFAULT now` stores the text "now", and `DEFAULT uuid` the text "uuid". Write a string in \
            single quotes, or an expression in parentheses.
            """,
        bad: "CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT DEFAULT now);",
        good: "CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT DEFAULT CURRENT_TIMESTAMP);")

    private static let values: Set<String> = [
        "null", "true", "false", "current_time", "current_date", "current_timestamp",
    ]

    func check(_ step: LintStep) -> [LintFault] {
        switch step.action {
        case .createTable, .addColumn: break
        default: return []
        }
        let (tokens, source) = (step.statement.tokens, step.statement.source)
        return tokens.indices.dropLast().compactMap { place in
            let token = tokens[place + 1]
            guard tokens[place].isWord("default", in: source), token.kind == .word,
                place == 0 || !tokens[place - 1].isWord("set", in: source)
            else { return nil }
            let word = token.text(in: source)
            guard !Self.values.contains(word.foldedASCII), !DefaultTypeRule.values(step).contains(token)
            else {
                return nil
            }
            return LintFault(
                nil, "DEFAULT \(word) stores the text '\(word)'",
                help: "Write '\(word)' if that is intended, or an expression in parentheses.",
                at: step.statement,
                token: token)
        }
    }
}
