/// A plan that turns one table into its new form: by ALTER TABLE, or by a rebuild.
struct TablePlan {
    let old: Table
    let new: Table
    let changes: [TableChange]
    let hints: RenameHints
    let support: AlterSupport
    /// The old schema.
    let schema: Schema
    /// Folded names that a temporary table must not have.
    let taken: Set<String>
    /// Whether another table's change makes a rebuild necessary.
    var isForced = false

    var added: [Column] {
        changes.compactMap { if case .columnAdded(let column) = $0 { column } else { nil } }
    }

    var dropped: [Column] {
        changes.compactMap { if case .columnDropped(let column) = $0 { column } else { nil } }
    }

    var renamed: [(from: String, to: String)] {
        changes.compactMap { change in
            switch change {
            case .columnRenamed(let from, let to), .columnRespelled(let from, let to): (from, to)
            default: nil
            }
        }
    }

    var isRenamed: Bool { old.name != new.name }

    /// Whether ALTER cannot make the change.
    var isRebuild: Bool {
        isForced || addingOrder == nil
            || !changes.allSatisfy { change in
                switch change {
                case .columnAdded(let column): canAdd(column)
                case .columnDropped(let column): canDrop(column)
                case .columnRenamed, .columnRespelled: support.renamesColumns
                case .columnOrder: true
                case .checkAdded(let check): added.contains { $0.name == check.column }
                case .foreignKeyAdded(let key):
                    key.isOfColumn && added.contains { $0.name == key.columns[0] }
                default: false
                }
            }
    }

    /// Whether a full-text index that reads the table would find different rows or values for its rowids.
    var disturbsSearches: Bool {
        let keepsRowids =
            !isRebuild || sharedRowid != nil
            || old.rowidAlias != nil
                && new.rowidAlias.map { alias in
                    old.rowidAlias.map { hints.column($0.name, of: old.name) } == alias.name.foldedASCII
                } == true
        let keepsValues = changes.allSatisfy { change in
            switch change {
            case .columnAdded, .columnDropped, .column(_, .generated), .column(_, .generatedExpression): false
            default: true
            }
        }
        return !keepsRowids || !keepsValues
    }

    /// Whether views and triggers that name the table must be dropped first: ALTER compiles them all, and
    /// DROP TABLE drops the table's triggers.
    var disturbsDependents: Bool { isRebuild || isRenamed || !dropped.isEmpty || !renamed.isEmpty }

    /// The restrictions of https://www.sqlite.org/lang_altertable.html#altertabaddcol.
    private func canAdd(_ column: Column) -> Bool {
        if column.generated?.isStored == true { return false }
        let inKey = new.primaryKey?.terms.contains { $0.column.isSameName(as: column.name) } ?? false
        let isUnique = new.uniques.contains { $0.terms.contains { $0.column.isSameName(as: column.name) } }
        if inKey || isUnique { return false }
        let isNull: Bool
        switch column.defaultValue {
        case nil, .null: isNull = true
        case .integer, .real, .text, .blob, .boolean: isNull = false
        default: return false
        }
        if column.generated == nil, new.isNotNull(column), isNull { return false }
        let references = new.foreignKeys.contains { $0.columns.contains { $0.isSameName(as: column.name) } }
        return !references || isNull
    }

    /// The added columns, each after those that its definition names; nil if they name each other.
    var addingOrder: [Column]? {
        var left = added
        var ordered: [Column] = []
        while !left.isEmpty {
            let open = Set(left.map(\.name.foldedASCII))
            let ready = left.filter { column in
                let own = column.name.foldedASCII
                let checks = new.checks.filter { $0.column?.isSameName(as: column.name) ?? false }
                let names = checks.reduce(column.generated?.expression.names ?? []) {
                    $0.union($1.expression.names)
                }
                return names.isDisjoint(with: open.subtracting([own]))
            }
            guard !ready.isEmpty else { return nil }
            ordered += ready
            left.removeAll { column in ready.contains { $0.name == column.name } }
        }
        return ordered
    }

    /// The restrictions of https://www.sqlite.org/lang_altertable.html#alter_table_drop_column.
    private func canDrop(_ column: Column) -> Bool {
        guard support.dropsColumns else { return false }
        let name = column.name.foldedASCII
        let inKeys =
            (old.primaryKey?.terms ?? []).contains { $0.column.foldedASCII == name }
            || old.uniques.contains { $0.terms.contains { $0.column.foldedASCII == name } }
            || old.foreignKeys.contains { $0.columns.contains { $0.foldedASCII == name } }
        let inExpressions =
            old.checks.contains { $0.expression.names.contains(name) }
            || old.columns.contains { $0.generated?.expression.names.contains(name) ?? false }
        return !inKeys && !inExpressions && column.generated?.isStored != true
    }
}
