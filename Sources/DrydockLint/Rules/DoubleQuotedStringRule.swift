import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// `double-quoted-string`: text in double quotes, which is a name in SQL, and a string in SQLite only where nothing has
/// that name (https://www.sqlite.org/quirks.html#dblquote).
struct DoubleQuotedStringRule: LintRule {
    let rule = Rule.doubleQuotedString
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "a string is written in double quotes",
        detail: """
            `"draft"` is the name of a column. SQLite reads it as a string if no column has that name; once \
            one does, the statement reads that column instead. GRDB and the newer SQLite builds of Apple and \
            Android refuse it, in an index, a CHECK, a view or a trigger as well. Write strings in single \
            quotes.
            """,
        bad: "UPDATE email SET state = \"draft\";",
        good: "UPDATE email SET state = 'draft';")

    func check(_ step: LintStep) -> [LintFault] {
        let (statement, source) = (step.statement, step.statement.source)
        let quoted = statement.tokens.filter { token in
            token.kind == .quotedIdentifier && source.bytes[token.range.lowerBound] == UInt8(ascii: "\"")
                && !(token.identifier(in: source) ?? "]").contains("]")
        }
        guard !quoted.isEmpty else { return [] }
        let misread = CopiedConstantRule.misreadNames(step) + DefaultTypeRule.values(step)
        let strings = (defaults(quoted, step) + strings(quoted, NameProbe(step: step)))
            .filter { !misread.contains($0) }
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
        guard let first = strings.first else { return [] }
        if let fault = constantKey(strings, step) { return [fault] }
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

    /// Reports an index of a column that does not exist: the same string for every row, whatever the quotes.
    private func constantKey(_ strings: [Token], _ step: LintStep) -> LintFault? {
        guard case .createIndex(let name, _) = step.action,
            let index = step.after.indexes.values.first(where: { $0.name.foldedASCII == name.folded }),
            let table = step.after.table(index.table)
        else { return nil }
        guard let token = keys(of: step.statement).first(where: strings.contains),
            let column = token.identifier(in: step.statement.source)
        else { return nil }
        let names = table.columns.map(\.name)
        let hint = nearestName(to: column, in: names).map { "; did you mean '\($0)'?" } ?? ""
        return LintFault(
            nil,
            "index \(index.name) is on a string: \(table.name) has no column \(quotedIfNeeded(column))\(hint)",
            help: """
                Every row has the same entry in the index. Name one of the table's columns \
                (\(names.map(quotedIfNeeded).joined(separator: ", "))), or leave the index out.
                """, at: step.statement, token: token, table: table.name)
    }

    /// Returns the tokens that are a whole key of an index, without what sorts by it.
    private func keys(of statement: SQLStatement) -> [Token] {
        let (tokens, source) = (statement.tokens, statement.source)
        func isEdge(_ place: Int, _ symbols: String...) -> Bool {
            symbols.contains { tokens[place].isSymbol($0, in: source) }
        }
        var (depth, keys): (Int, [Token]) = (0, [])
        for place in tokens.indices {
            if isEdge(place, "(") { depth += 1 }
            if isEdge(place, ")") { depth -= 1 }
            // The first parentheses are those of the keys.
            if depth == 0, !keys.isEmpty || isEdge(place, ")") { break }
            guard depth == 1, place + 1 < tokens.count, isEdge(place - 1, "(", ",") else { continue }
            if isEdge(place + 1, ")", ",") || tokens[place + 1].kind == .word { keys.append(tokens[place]) }
        }
        return keys
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
