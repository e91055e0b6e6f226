import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Explains "NOT NULL constraint failed": which rows have NULL, and that a DEFAULT does not replace a copied NULL.
struct NullExplainer: FailureExplainer {
    func explanation(of fixture: FailureFixture) throws -> FailureExplanation? {
        guard let label = SQLiteMessage.notNullFailed.rest(of: fixture.error.message),
            let statement = fixture.statement
        else { return nil }
        if case .addColumn(let name, let column) = statement.action,
            let added = AddedColumn(name, column, statement, fixture.schema)
        {
            // For ADD COLUMN, SQLite reports this only for generated columns.
            return try added.rows(where: "\(quotedName(column)) IS NULL", fixture)?.explanation(
                help:
                    "Let the expression give a value for every row, as with coalesce, or leave NOT NULL out.")
        }
        guard let rows = try fixture.uncheckedRows(),
            let column = rows.table.columns.first(where: { label == ": \(rows.table.name).\($0.name)" }),
            let found = try rows.rows(
                where: "\(quotedName(column.name)) IS NULL", showing: [column.name])
        else { return nil }
        return found.explanation(
            help: rows.crossing(of: [column.name], fixture)?.help ?? help(column, rows, fixture, statement))
    }

    private func help(
        _ column: Column, _ rows: UncheckedRows, _ fixture: FailureFixture, _ statement: SQLStatement
    ) -> Help {
        let value = Self.value(column, rows.table)
        guard case .insert(_, let columns, _?) = statement.action else {
            let isUpdate = if case .update = statement.action { true } else { false }
            return Help(
                "Write another value there, as with coalesce(VALUE, \(value))"
                    + (isUpdate ? ", or leave these rows as they are with WHERE." : "."))
        }
        if let columns, !columns.contains(where: { $0.foldedASCII == column.name.foldedASCII }) {
            return
                "The copy leaves \(column.name) out: give it a DEFAULT in the new table, or copy a value into it."
        }
        if let bound = bound(column, rows.table, fixture.schema) {
            return
                "The copy writes NULL, which a DEFAULT does not replace. Write a value in the SELECT that \(bound), or leave NOT NULL out."
        }
        guard let copy = Coalesced(column.name, value, rows, statement) else {
            return
                "A DEFAULT does not replace a NULL that is copied. Write coalesce(\(quotedIfNeeded(column.name)), \(value)) in the SELECT."
        }
        let declared = copy.column.flatMap { column in
            rows.copiedFrom.flatMap { fixture.origin(of: column, in: $0.name) }
        }
        return
            "The copy writes NULL, which a DEFAULT does not replace. Give a value in the SELECT, \(value) or another:\n"
            + proposed(copy.text + ";") + (declared.map { "\n" + Help.declaration("rewrites \($0)") } ?? "")
    }

    /// Returns what a value must be besides not NULL; nil where any one does.
    private func bound(_ column: Column, _ table: Table, _ schema: Schema) -> String? {
        let name = column.name.foldedASCII
        if let key = table.foreignKeys.first(where: { $0.columns.contains { $0.foldedASCII == name } }) {
            return "a row of \(key.parent) has"
        }
        let keys = table.uniques.map(\.terms) + [table.primaryKey?.terms].compactMap(\.self)
        let isUnique =
            keys.contains { $0.contains { $0.column.foldedASCII == name } }
            || schema.indexes(on: table.name).contains { $0.isUnique && $0.names.contains(name) }
        if isUnique { return "no other row has" }
        let check = table.checks.first { $0.expression.names.contains(name) }
        return check.map { "meets CHECK (\($0.expression))" }
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
