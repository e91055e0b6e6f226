import SQLiteSchema

/// The generated columns of a table, and what each is computed from
/// (https://www.sqlite.org/gencol.html).
struct GeneratedColumns {
    private let table: Catalog.Table
    /// Nil where the definition is not understood, or SQLite sees other columns in it.
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

    /// The ordinary columns that a generated column's value follows from, through other generated columns too.
    /// Every ordinary column where the definition is not understood.
    func sources(of column: Catalog.Column) -> [Catalog.Column] {
        guard let model else { return table.storedColumns }
        let reached = reached(from: column.name, in: model)
        return table.storedColumns.filter { reached.contains($0.name.foldedASCII) }
    }

    /// Whether two columns are computed alike: by the same expressions, of columns that are declared alike.
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

    /// Whether a column is computed as another is; the values of one that was ordinary are compared by themselves.
    private static func hasSameValue(_ a: Column, _ b: Column) -> Bool {
        a.declaredType.foldedASCII == b.declaredType.foldedASCII
            && (a.collation ?? "BINARY").foldedASCII == (b.collation ?? "BINARY").foldedASCII
            && (a.generated == nil || a.generated?.expression == b.generated?.expression)
    }

    /// Folded names of the column and of all those that it is computed from.
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
