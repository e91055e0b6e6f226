import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// The column that a failing ADD COLUMN would have added.
struct AddedColumn {
    /// The table without the column, but with the constraints that come with the column.
    let table: Table
    let column: Column
    let checks: [CheckConstraint]

    init?(_ name: QualifiedName, _ column: String, _ statement: SQLStatement, _ schema: Schema) {
        guard name.isMain, let table = schema.table(name.name),
            let token = statement.token(named: column),
            let place = statement.tokens.lastIndex(where: { other in
                other.name(in: statement.source)?.foldedASCII == column.foldedASCII
                    && other.range.lowerBound >= token.range.lowerBound && statement.isAdded(other)
            })
        else { return nil }
        let definition = statement.source.text(
            in: statement.tokens[place].range.lowerBound..<statement.range.upperBound)
        let row = SchemaRow(type: "table", name: "t", table: "t", sql: "CREATE TABLE t(\(definition)\n)")
        guard let model = SchemaParser().schema(of: [row]).table("t"), let added = model.columns.first else {
            return nil
        }
        (self.column, checks) = (added, model.checks)
        var changed = table
        changed.foreignKeys += model.foreignKeys
        changed.checks += model.checks
        self.table = changed
    }

    /// Returns the rows of the table that match a condition in which the column is replaced by its future value.
    func rows(where condition: String, _ fixture: FailureFixture, showing shown: [String] = []) throws
        -> RefusedRows?
    {
        var source = RowSource(table, fixture)
        let value = column.generated.map { "(\($0.expression))" } ?? "\(column.defaultValue ?? .null)"
        let rowid = table.rowidName.map { "\($0) AS rowid, " } ?? ""
        source.from = "(SELECT \(rowid)*, \(value) AS \(quotedName(column.name)) FROM \(source.from))"
        return try source.rows(
            where: condition,
            showing: (shown.isEmpty ? [column.name] : shown).map { (name: $0, expression: quotedName($0)) })
    }
}

extension SQLStatement {
    /// Whether ADD, or ADD COLUMN, is directly before a token.
    fileprivate func isAdded(_ token: Token) -> Bool { isBehind("add", token) || isBehind("column", token) }
}
