import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// `double-quoted-string`: text in double quotes, which is a name in SQL, and a string in SQLite only where nothing has
/// that name (https://www.sqlite.org/quirks.html#dblquote).
struct DoubleQuotedStringRule: LintRule {
    let rule = Rule.doubleQuotedString
    let severity: Finding.Severity? = .warning

    func check(_ step: LintStep) -> [LintFault] {
        let (statement, source) = (step.statement, step.statement.source)
        let quoted = statement.tokens.filter { token in
            token.kind == .quotedIdentifier && source.bytes[token.range.lowerBound] == UInt8(ascii: "\"")
                && !(token.identifier(in: source) ?? "]").contains("]")
        }
        guard !quoted.isEmpty else { return [] }
        let strings = (defaults(quoted, step) + strings(quoted, NameProbe(step: step)))
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
        guard let first = strings.first else { return [] }
        let edits = strings.map { token in
            SQLEdit(range: token.range, text: quotedText(token.identifier(in: source) ?? ""))
        }
        let word = first.text(in: source)
        let message =
            strings.count > 1
            ? "\(word) and \(strings.count - 1) more are not columns and are read as strings"
            : "\(word) is not a column and is read as a string"
        return [
            LintFault(
                nil, message,
                help: "Write single quotes:\n" + proposed(statement.applying(edits) + ";"), at: statement,
                token: first, edits: namesColumns(step.action) ? [] : edits)
        ]
    }

    /// Whether an item of the select list may become the name of a column, which other quotes would change.
    private func namesColumns(_ action: StatementAction) -> Bool {
        switch action {
        case .createView, .createTable(_, _, asSelect: true): true
        default: false
        }
    }

    private func strings(_ quoted: [Token], _ probe: NameProbe) -> [Token] {
        // In brackets a name is never a string: a statement that still compiles contains no such string.
        guard probe.canAsk, !probe.compiles(quoted), probe.compiles([]) else { return [] }
        return quoted.filter { !probe.compiles([$0]) }
    }

    /// A name after DEFAULT is text and never a column.
    private func defaults(_ quoted: [Token], _ step: LintStep) -> [Token] {
        switch step.action {
        case .createTable(_, _, asSelect: false), .addColumn: break
        default: return []
        }
        return quoted.filter { token in
            guard step.statement.isBehind("default", token),
                let place = step.statement.tokens.firstIndex(of: token)
            else { return false }
            return place < 2 || !step.statement.tokens[place - 2].isWord("set", in: step.statement.source)
        }
    }
}
