import SQLiteSchema

extension Catalog.Table {
    /// Whether rows and indexes that were sound under an earlier definition are sound under this one: it is unchanged,
    /// or only adds columns that any row may have.
    package func demandsNoMore(than old: Catalog.Table) -> Bool {
        if sql == old.sql { return true }
        let (before, after) = (old.schema, schema)
        guard let table = after.table(name), !table.isStrict else { return false }
        var added: Set<String> = []
        let changes = SchemaDiff(from: before, to: after).changes()
        for case .table(_, .columnAdded(let column)) in changes { added.insert(column.name) }
        return changes.allSatisfy { change in
            switch change {
            case .table(_, .columnAdded(let column)):
                column.generated == nil && (column.notNull == nil || column.defaultValue?.isLiteral == true)
            case .table(_, .foreignKeyAdded(let key)):
                added.isSuperset(of: key.columns)
                    && key.columns.allSatisfy { table.column($0)?.defaultValue.map { $0 == .null } ?? true }
            default: false
            }
        }
    }
}

extension DefaultValue {
    /// Whether the default is a value other than NULL that is the same for every row.
    fileprivate var isLiteral: Bool {
        switch self {
        case .integer, .real, .text, .blob, .boolean: true
        default: false
        }
    }
}
