import DatabaseEngine
import SQLiteSchema

/// `double-quoted-string`: a text in double quotes, which is a name to SQL and a string to SQLite only where
/// nothing has that name (https://www.sqlite.org/quirks.html#dblquote).
struct DoubleQuotedStringRule: LintRule {
    let rule = Rule.doubleQuotedString
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "a string is written in double quotes",
        detail: """
            `"draft"` is the name of a column. SQLite takes it for a string where no column is called so; once \
            one is, the statement reads that column instead. GRDB, Apple's and Android's newer builds refuse \
            it. Write strings in single quotes.
            """,
        bad: "UPDATE email SET state = \"draft\";",
        good: "UPDATE email SET state = 'draft';")

    func check(_ step: LintStep) -> [LintFault] {
        switch step.action {
        case .insert, .update, .delete, .select: break
        default: return []
        }
        let (statement, source) = (step.statement, step.statement.source)
        let quoted = statement.tokens.filter { token in
            token.kind == .quotedIdentifier && source.bytes[token.range.lowerBound] == UInt8(ascii: "\"")
                && !(token.identifier(in: source) ?? "]").contains("]")
        }
        // In brackets a name is never a string: what compiles so has none.
        guard !quoted.isEmpty, compiles(statement, []), !compiles(statement, quoted) else { return [] }
        let strings = quoted.filter { !compiles(statement, [$0]) }
        let edits = strings.map { token in
            let name = token.identifier(in: source) ?? ""
            return SQLEdit(range: token.range, text: quotedText(name))
        }
        guard let first = strings.first else { return [] }
        let word = first.text(in: source)
        let message =
            strings.count > 1
            ? "\(word) and \(strings.count - 1) more are no columns and are read as strings"
            : "\(word) is no column and is read as a string"
        return [
            LintFault(
                nil, message,
                help: "Write single quotes:\n" + proposed(statement.applying(edits) + ";"), at: statement,
                token: first, edits: edits)
        ]

        /// Whether the statement compiles with these names in brackets.
        func compiles(_ statement: SQLStatement, _ tokens: [Token]) -> Bool {
            let edits = tokens.map { token in
                SQLEdit(range: token.range, text: "[\(token.identifier(in: source) ?? "")]")
            }
            do {
                _ = try step.connection.prepare(statement.applying(edits))
                return true
            } catch {
                return false
            }
        }
    }
}
