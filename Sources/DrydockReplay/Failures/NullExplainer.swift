import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Explains "NOT NULL constraint failed": which rows have NULL, and that a DEFAULT does not replace a copied NULL.
struct NullExplainer: FailureExplainer {
    func explanation(of scene: FailureScene) throws -> FailureExplanation? {
        guard let label = SQLiteMessage.notNullFailed.rest(of: scene.error.message),
            let statement = scene.statement
        else { return nil }
        if case .addColumn(let name, let column) = statement.action,
            let added = AddedColumn(name, column, statement, scene.schema)
        {
            // For ADD COLUMN, SQLite reports this only for generated columns.
            return try added.rows(where: "\(quotedName(column)) IS NULL", scene)?.explanation(
                help:
                    "Let the expression give a value for every row, as with coalesce, or leave NOT NULL out.")
        }
        guard let rows = try scene.uncheckedRows(),
            let column = rows.table.columns.first(where: { label == ": \(rows.table.name).\($0.name)" }),
            let found = try rows.source.rows(
                where: "\(quotedName(column.name)) IS NULL",
                showing: [(name: column.name, expression: quotedName(column.name))])
        else { return nil }
        var explanation = found.explanation(help: help(column, rows, scene, statement))
        explanation.redactedDetail = explanation.detail
        return explanation
    }

    private func help(
        _ column: Column, _ rows: UncheckedRows, _ scene: FailureScene, _ statement: SQLStatement
    ) -> Help {
        let value = Self.value(column, rows.table)
        guard case .insert(_, let columns, _?) = statement.action else {
            return
                "Write another value there, as with coalesce(VALUE, \(value)), or leave these rows out with WHERE."
        }
        if let columns, !columns.contains(where: { $0.foldedASCII == column.name.foldedASCII }) {
            return
                "The copy leaves \(column.name) out: give it a DEFAULT in the new table, or copy a value into it."
        }
        guard let copy = Coalesced(column.name, value, rows, statement) else {
            return
                "A DEFAULT does not replace a NULL that is copied. Write coalesce(\(quotedIfNeeded(column.name)), \(value)) in the SELECT."
        }
        let declared = copy.column.flatMap { column in
            rows.copiedFrom.flatMap { scene.origin(of: column, in: $0.name) }
        }
        return
            "The copy brings NULL, which a DEFAULT does not replace. Give a value in the SELECT, \(value) or another:\n"
            + proposed(copy.text + ";") + (declared.map { "\n" + Help.declaration("rewrites \($0)") } ?? "")
    }

    /// Returns the column's default, or otherwise the empty value of its type.
    private static func value(_ column: Column, _ table: Table) -> String {
        if case .text(let text)? = column.defaultValue, table.numberKind(of: column) != nil,
            Double(text) == nil
        {
            // The default would be stored as text.
            return table.truth(of: text, in: column) == true ? "1" : "0"
        }
        if let value = column.defaultValue, value != .null { return "\(value)" }
        switch table.affinity(of: column) {
        case .text: return "''"
        case .blob: return column.declaredType.isEmpty ? "''" : "x''"
        case .real: return "0.0"
        default: return "0"
        }
    }
}

/// A copying statement with `coalesce` around the value of a column.
private struct Coalesced {
    /// The statement.
    var text: String
    /// The column of the source table, where the item is only that column.
    var column: String?

    init?(_ column: String, _ value: String, _ rows: UncheckedRows, _ statement: SQLStatement) {
        guard case .insert(_, let columns, let copy?) = statement.action, !copy.isCompound,
            let arm = statement.insertSource?.arms.first, !arm.isValues
        else { return nil }
        let targets = columns ?? rows.table.columns.filter { $0.generated == nil }.map(\.name)
        guard let place = targets.firstIndex(where: { $0.foldedASCII == column.foldedASCII }) else {
            return nil
        }
        let ranges = statement.selectItems(of: arm)
        if copy.items.count == 1, case .star = copy.items[0], let origin = rows.copiedFrom, ranges.count == 1
        {
            let names = origin.columns.map(\.name)
            guard names.count == targets.count else { return nil }
            let list = names.enumerated().map { index, name in
                index == place ? "coalesce(\(quotedIfNeeded(name)), \(value))" : quotedIfNeeded(name)
            }
            text = statement.applying([SQLEdit(range: ranges[0], text: list.joined(separator: ", "))])
            self.column = names[place]
            return
        }
        guard ranges.count == copy.items.count, ranges.count == targets.count else { return nil }
        let item = statement.source.text(in: ranges[place])
        switch copy.items[place] {
        case .column(_, let name): self.column = name
        case .expression(_, let columns): self.column = columns.count == 1 ? columns[0] : nil
        case .star: return nil
        }
        text = statement.applying([SQLEdit(range: ranges[place], text: "coalesce(\(item), \(value))")])
    }
}

extension SQLStatement {
    /// Returns the ranges of the file with the items of a SELECT's list.
    fileprivate func selectItems(of arm: InsertSource.Arm) -> [Range<Int>] {
        var (ranges, depth): ([Range<Int>], Int) = ([], 0)
        var start: Int?
        for token in tokens[arm.tokens].dropFirst() {
            if depth == 0, token.isWord("from", in: source) || token.isSymbol(",", in: source) {
                if let start, let last = tokens.last(where: { $0.range.upperBound <= token.range.lowerBound })
                {
                    ranges.append(start..<last.range.upperBound)
                }
                start = nil
                if token.isWord("from", in: source) { return ranges }
                continue
            }
            if start == nil { start = token.range.lowerBound }
            if token.isSymbol("(", in: source) { depth += 1 }
            if token.isSymbol(")", in: source) { depth -= 1 }
        }
        return ranges
    }
}
