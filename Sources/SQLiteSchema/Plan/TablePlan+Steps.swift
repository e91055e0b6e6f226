extension TablePlan {
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

    /// Rename declarations for a table in which old names pass to other columns: from the copy it cannot be
    /// seen whether a column was renamed or has new values.
    private var renameDeclarations: [String] {
        let table = SQLName.printed(old.name)
        let isNameReused = renamed.contains { old.column($0.to) != nil && !$0.from.isSameName(as: $0.to) }
        guard isNameReused else { return [] }
        return renamed.filter { !$0.from.isSameName(as: $0.to) }.map {
            "renames column \(table).\(SQLName.printed($0.from)) to \(table).\(SQLName.printed($0.to))"
        }
    }

    private func alterSteps(_ printer: SchemaPrinter) -> [MigrationPlan.Step] {
        var statements: [String] = []
        let name = SQLName.printed(new.name)
        if isRenamed { statements += renameStatements() }
        for (from, to) in inOrder(renamed) {
            statements.append(
                "ALTER TABLE \(name) RENAME COLUMN \(SQLName.printed(from)) TO \(SQLName.printed(to))")
        }
        // Columns are added first: a table's last column cannot be dropped.
        for column in addingOrder ?? [] {
            statements.append("ALTER TABLE \(name) ADD COLUMN \(printer.text(column, of: new))")
        }
        for column in dropped {
            statements.append("ALTER TABLE \(name) DROP COLUMN \(SQLName.printed(column.name))")
        }
        guard !statements.isEmpty else { return [] }
        return [.init("Table \(new.name).", declarations: dropDeclarations, statements)]
    }

    /// Returns the renames in an order in which each new name is free; a cycle is broken with a temporary
    /// name.
    private func inOrder(_ renames: [(from: String, to: String)]) -> [(from: String, to: String)] {
        var left = renames
        var ordered: [(from: String, to: String)] = []
        while !left.isEmpty {
            let free = left.firstIndex { rename in
                !left.contains { $0.from != rename.from && $0.from.isSameName(as: rename.to) }
            }
            if let free {
                ordered.append(left.remove(at: free))
            } else {
                var between = "new_" + left[0].to
                while old.column(between) != nil || new.column(between) != nil { between = "new_" + between }
                ordered.append((left[0].from, between))
                left[0].from = between
            }
        }
        return ordered
    }

    /// Returns the statements of a rename. One that changes only case uses a temporary name, since SQLite
    /// takes both for the same.
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
        var declarations = dropDeclarations + renameDeclarations
        if !old.name.isSameName(as: new.name) {
            declarations.append("renames table \(SQLName.printed(old.name)) to \(name)")
        }
        return .init(
            "Table \(new.name) is rebuilt: ALTER TABLE cannot make this change.",
            declarations: declarations,
            statements)
    }

    /// A row that violates a constraint must stop the copy, whatever ON CONFLICT says for later rows.
    private var insertion: String {
        let resolutions =
            [new.primaryKey?.onConflict] + new.uniques.map(\.onConflict)
            + new.columns.map { $0.notNull?.onConflict }
        return resolutions.allSatisfy { $0 == nil || $0 == .abort } ? "INSERT INTO" : "INSERT OR ABORT INTO"
    }

    /// Returns renames by ALTER before a rebuild, for foreign keys of other tables that must follow them.
    private func leadingRenames() -> (statements: [String], isRenamed: Bool, columns: [String]) {
        let keys = schema.tables.values.filter { $0.name != old.name }.flatMap(\.foreignKeys)
            .filter { $0.parent.isSameName(as: old.name) }
        let isRenamed = !keys.isEmpty && !old.name.isSameName(as: new.name)
        let name = SQLName.printed(isRenamed ? new.name : old.name)
        let named = Set(keys.flatMap { $0.parentColumns ?? [] }.map(\.foldedASCII))
        let columns =
            support.renamesColumns && renameDeclarations.isEmpty
            ? renamed.filter { named.contains($0.from.foldedASCII) && !$0.from.isSameName(as: $0.to) } : []
        let statements =
            (isRenamed ? ["ALTER TABLE \(SQLName.printed(old.name)) RENAME TO \(name)"] : [])
            + columns.map {
                "ALTER TABLE \(name) RENAME COLUMN \(SQLName.printed($0.from)) TO \(SQLName.printed($0.to))"
            }
        return (statements, isRenamed, columns.map(\.from))
    }

    /// The stored columns that both tables have, matched by name or by a rename hint.
    private var copiedColumns: [(from: String, to: String)] {
        old.columns.compactMap { column in
            guard column.generated == nil,
                let target = new.column(hints.column(column.name, of: old.name)), target.generated == nil
            else { return nil }
            return (column.name, target.name)
        }
    }

    /// The rowid, unless a column that both tables have preserves it: a full-text index with external content
    /// may depend on it, and a new INTEGER PRIMARY KEY should keep the rowid's value.
    var sharedRowid: (from: String, to: String)? {
        guard !old.isWithoutRowid, !new.isWithoutRowid else { return nil }
        let names = ["rowid", "_rowid_", "oid"]
        guard let from = names.first(where: { old.column($0) == nil }) else { return nil }
        if let alias = new.rowidAlias {
            return copiedColumns.contains { $0.to == alias.name } ? nil : (from, SQLName.printed(alias.name))
        }
        return names.first { new.column($0) == nil }.map { (from, $0) }
    }
}
