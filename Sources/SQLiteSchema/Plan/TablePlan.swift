/// How one table becomes its new form: by ALTER TABLE, or by a rebuild.
struct TablePlan {
    let old: Table
    let new: Table
    let changes: [TableChange]
    let hints: RenameHints
    let support: AlterSupport
    /// The old schema.
    let schema: Schema
    /// Folded names that no passing table may have.
    let taken: Set<String>
    /// Another table's change makes a rebuild necessary.
    var isForced = false

    private var added: [Column] {
        changes.compactMap { if case .columnAdded(let column) = $0 { column } else { nil } }
    }

    private var dropped: [Column] {
        changes.compactMap { if case .columnDropped(let column) = $0 { column } else { nil } }
    }

    private var renamed: [(from: String, to: String)] {
        changes.compactMap { change in
            switch change {
            case .columnRenamed(let from, let to), .columnRespelled(let from, let to): (from, to)
            default: nil
            }
        }
    }

    private var isRenamed: Bool { old.name != new.name }

    /// ALTER cannot do it.
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

    /// Whether a full-text index that reads the table finds other rows or values under its rowids.
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

    /// Views and triggers that name the table must be out of the way: ALTER compiles them all, and DROP TABLE
    /// takes the table's own.
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

    /// The added columns, each behind those that its definition names; nil where they name each other.
    private var addingOrder: [Column]? {
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

    // MARK: - Steps

    func steps(_ printer: SchemaPrinter, _ plan: inout MigrationPlan) -> [MigrationPlan.Step] {
        for column in dropped where column.generated == nil {
            plan.losses.append("column \(old.name).\(column.name) with its values")
        }
        guard isRebuild else { return alterSteps(printer) }
        return [rebuild(printer)]
    }

    private var dropDeclarations: [String] {
        dropped.filter { $0.generated == nil }.map {
            "drops column \(SQLName.printed(old.name)).\(SQLName.printed($0.name))"
        }
    }

    private func alterSteps(_ printer: SchemaPrinter) -> [MigrationPlan.Step] {
        var statements: [String] = []
        let name = SQLName.printed(new.name)
        if isRenamed { statements += renameStatements() }
        for (from, to) in renamed {
            statements.append(
                "ALTER TABLE \(name) RENAME COLUMN \(SQLName.printed(from)) TO \(SQLName.printed(to))")
        }
        // Added first: a table's last column cannot be dropped.
        for column in addingOrder ?? [] {
            statements.append("ALTER TABLE \(name) ADD COLUMN \(printer.text(column, of: new))")
        }
        for column in dropped {
            statements.append("ALTER TABLE \(name) DROP COLUMN \(SQLName.printed(column.name))")
        }
        guard !statements.isEmpty else { return [] }
        return [.init("Table \(new.name).", declarations: dropDeclarations, statements)]
    }

    /// A rename that changes case alone goes through a third name, since SQLite takes both for the same.
    private func renameStatements() -> [String] {
        let (from, to) = (SQLName.printed(old.name), SQLName.printed(new.name))
        guard old.name.isSameName(as: new.name) else { return ["ALTER TABLE \(from) RENAME TO \(to)"] }
        let between = SQLName.printed(temporaryName)
        return ["ALTER TABLE \(from) RENAME TO \(between)", "ALTER TABLE \(between) RENAME TO \(to)"]
    }

    private var temporaryName: String {
        var name = "new_" + new.name
        while taken.contains(name.foldedASCII) { name = "new_" + name }
        return name
    }

    private func rebuild(_ printer: SchemaPrinter) -> MigrationPlan.Step {
        var table = new
        table.name = temporaryName
        let leading = leadingRenames()
        let source = leading.isRenamed ? new.name : old.name
        let (made, gone, name) = (
            SQLName.printed(table.name), SQLName.printed(source), SQLName.printed(new.name)
        )
        let pairs = copiedColumns
        let renamed = Set(leading.columns.map(\.foldedASCII))
        var targets = pairs.map { SQLName.printed($0.to) }
        var sources = pairs.map { SQLName.printed(renamed.contains($0.from.foldedASCII) ? $0.to : $0.from) }
        if let rowid = sharedRowid {
            targets.insert(rowid.to, at: 0)
            sources.insert(rowid.from, at: 0)
        }
        var statements = leading.statements + [printer.text(table)]
        if !targets.isEmpty {
            statements.append(
                "\(insertion) \(made) (\(targets.joined(separator: ", ")))\n"
                    + "SELECT \(sources.joined(separator: ", ")) FROM \(gone)")
        }
        if old.primaryKey?.isAutoincrement == true, new.primaryKey?.isAutoincrement == true {
            let (from, to) = (DefaultValue.quoted(source), DefaultValue.quoted(table.name))
            statements.append("DELETE FROM sqlite_sequence WHERE name = \(to)")
            statements.append(
                "INSERT INTO sqlite_sequence (name, seq)\n"
                    + "SELECT \(to), seq FROM sqlite_sequence WHERE name = \(from)")
        }
        statements += ["DROP TABLE \(gone)", "ALTER TABLE \(made) RENAME TO \(name)"]
        var declarations = dropDeclarations
        if !old.name.isSameName(as: new.name) {
            declarations.append("renames table \(SQLName.printed(old.name)) to \(name)")
        }
        return .init(
            "Table \(new.name) is made anew: ALTER TABLE cannot make this change.",
            declarations: declarations,
            statements)
    }

    /// A row that breaks a constraint must stop the copy, whatever ON CONFLICT says for the rows to come.
    private var insertion: String {
        let resolutions =
            [new.primaryKey?.onConflict] + new.uniques.map(\.onConflict)
            + new.columns.map { $0.notNull?.onConflict }
        return resolutions.allSatisfy { $0 == nil || $0 == .abort } ? "INSERT INTO" : "INSERT OR ABORT INTO"
    }

    /// Renames by ALTER ahead of a rebuild, where foreign keys of other tables must follow them.
    private func leadingRenames() -> (statements: [String], isRenamed: Bool, columns: [String]) {
        let keys = schema.tables.values.filter { $0.name != old.name }.flatMap(\.foreignKeys)
            .filter { $0.parent.isSameName(as: old.name) }
        let isRenamed = !keys.isEmpty && !old.name.isSameName(as: new.name)
        let name = SQLName.printed(isRenamed ? new.name : old.name)
        let named = Set(keys.flatMap { $0.parentColumns ?? [] }.map(\.foldedASCII))
        let columns =
            support.renamesColumns
            ? renamed.filter { named.contains($0.from.foldedASCII) && !$0.from.isSameName(as: $0.to) } : []
        let statements =
            (isRenamed ? ["ALTER TABLE \(SQLName.printed(old.name)) RENAME TO \(name)"] : [])
            + columns.map {
                "ALTER TABLE \(name) RENAME COLUMN \(SQLName.printed($0.from)) TO \(SQLName.printed($0.to))"
            }
        return (statements, isRenamed, columns.map(\.from))
    }

    /// Columns that both have and that are stored, by name; those that a hint renames among them.
    private var copiedColumns: [(from: String, to: String)] {
        old.columns.compactMap { column in
            guard column.generated == nil,
                let target = new.column(hints.column(column.name, of: old.name)), target.generated == nil
            else { return nil }
            return (column.name, target.name)
        }
    }

    /// The rowid, where no column of both takes it over: a full-text index with external content may rely
    /// on it, and a new INTEGER PRIMARY KEY is best what the rowid was.
    private var sharedRowid: (from: String, to: String)? {
        guard !old.isWithoutRowid, !new.isWithoutRowid else { return nil }
        let names = ["rowid", "_rowid_", "oid"]
        guard let from = names.first(where: { old.column($0) == nil }) else { return nil }
        if let alias = new.rowidAlias {
            return copiedColumns.contains { $0.to == alias.name } ? nil : (from, SQLName.printed(alias.name))
        }
        return names.first { new.column($0) == nil }.map { (from, $0) }
    }
}
