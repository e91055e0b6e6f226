import SQLiteSchema

/// `foreign-key-index`: a foreign key's columns have no index in the child table.
struct ForeignKeyIndexCheck: HealthCheck {
    let text = HealthCheckText(
        "foreign-key-index", "a foreign key has no index in the table that has it",
        why:
            "Each DELETE and each change of a key in the parent reads the whole table (https://www.sqlite.org/foreignkeys.html#fk_indexes)."
    )

    func check(_ view: HealthView) throws -> HealthResult {
        HealthResult(
            view.schema.tables.values.sorted { $0.name < $1.name }.flatMap { table in
                table.foreignKeys.filter { !hasIndex($0, table, view.schema) }.map { key in
                    let columns = key.columns.joined(separator: ", ")
                    let list = key.columns.map(quotedIfNeeded).joined(separator: ", ")
                    return finding(
                        .note,
                        "foreign key \(table.name)(\(columns)) to \(key.parent) has no index",
                        help:
                            "CREATE INDEX \(quotedIfNeeded("\(table.name)_\(key.columns.joined(separator: "_"))"))"
                            + " ON \(quotedIfNeeded(table.name))(\(list));",
                        table: table.name, object: "(\(columns))")
                }
            })
    }

    private func hasIndex(_ key: ForeignKey, _ table: Table, _ schema: Schema) -> Bool {
        let wanted = Set(key.columns.map(\.foldedASCII))
        func begins(_ columns: [String?]) -> Bool {
            columns.count >= wanted.count && Set(columns.prefix(wanted.count).map { $0 ?? "" }) == wanted
        }
        if let alias = table.rowidAlias, wanted == [alias.name.foldedASCII] { return true }
        if let primary = table.primaryKey, begins(primary.terms.map(\.column.foldedASCII)) { return true }
        if table.uniques.contains(where: { begins($0.terms.map(\.column.foldedASCII)) }) { return true }
        return schema.indexes(on: table.name).contains { index in
            index.condition == nil
                && begins(
                    index.terms.map {
                        if case .column(let name) = $0.value { name.foldedASCII } else { nil }
                    })
        }
    }
}
