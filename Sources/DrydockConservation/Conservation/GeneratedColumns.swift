import DrydockState
import SQLiteSchema

/// The generated columns of a table, and the columns from which each is computed (https://www.sqlite.org/gencol.html).
struct GeneratedColumns {
    private let table: Catalog.Table
    /// Nil where the definition is not understood, or SQLite lists different columns for it.
    private let model: Table?

    init(_ table: Catalog.Table) {
        self.table = table
        let row = SchemaRow(type: "table", name: table.name, table: table.name, sql: table.text)
        let model = SchemaParser().schema(of: [row]).table(table.name)
        let isUnderstood =
            model?.columns.map(\.name.foldedASCII) == table.columns.map(\.name.foldedASCII)
            && model?.columns.map { $0.generated != nil } == table.columns.map(\.isGenerated)
        self.model = isUnderstood ? model : nil
    }

    /// Returns the ordinary columns on which a generated column depends, also through other generated columns; all
    /// ordinary columns where the definition is not understood.
    func sources(of column: Catalog.Column) -> [Catalog.Column] {
        guard let model else { return table.storedColumns }
        let reached = reached(from: column.name, in: model)
        return table.storedColumns.filter { reached.contains($0.name.foldedASCII) }
    }

    /// Whether two columns are computed by the same expressions from columns with the same declarations.
    func isSame(_ column: Catalog.Column, in other: GeneratedColumns, as otherColumn: Catalog.Column) -> Bool
    {
        guard let model, let otherModel = other.model, model.isStrict == otherModel.isStrict,
            let own = model.column(column.name), let its = otherModel.column(otherColumn.name),
            Self.hasSameValue(own, its)
        else { return false }
        let names = reached(from: column.name, in: model).subtracting([column.name.foldedASCII])
        return names.allSatisfy { name in
            guard let old = model.column(name), let new = otherModel.column(name) else { return false }
            return Self.hasSameValue(old, new)
        }
    }

    /// Whether two columns are computed in the same way; the values of an ordinary column are compared separately.
    private static func hasSameValue(_ a: Column, _ b: Column) -> Bool {
        a.declaredType.foldedASCII == b.declaredType.foldedASCII
            && (a.collation ?? "BINARY").foldedASCII == (b.collation ?? "BINARY").foldedASCII
            && (a.generated == nil || a.generated?.expression == b.generated?.expression)
    }

    /// Returns the folded names of the column and of all columns from which it is computed.
    private func reached(from column: String, in model: Table) -> Set<String> {
        var reached: Set<String> = []
        var waiting = [column.foldedASCII]
        while let name = waiting.popLast() {
            guard let column = model.column(name), reached.insert(name).inserted else { continue }
            waiting += column.generated?.expression.names ?? []
        }
        return reached
    }
}
