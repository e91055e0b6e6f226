import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// Compares a declaration with the schemas before and after its step: a name that neither has is misspelt.
struct DeclarationNames: Sendable {
    let before: Catalog
    let after: Catalog
    let lineage: TableLineage
    let migration: String
    /// Maps a table's name before a declared rename to the name after it and the reverse, folded.
    private let renamed: [String: [String]]

    init(
        before: Catalog, after: Catalog, lineage: TableLineage, migration: String, declarations: [Declaration]
    ) {
        self.before = before
        self.after = after
        self.lineage = lineage
        self.migration = migration
        var renamed: [String: [String]] = [:]
        for declaration in declarations {
            guard case .renamesTable(let from, let to) = declaration.kind else { continue }
            renamed[from.foldedASCII, default: []].append(to)
            renamed[to.foldedASCII, default: []].append(from)
        }
        self.renamed = renamed
    }

    func fault(of declaration: Declaration) -> Finding? {
        switch declaration.kind {
        case .deletes(let table, let condition):
            deletionFault(table, condition, declaration)
        case .dropsTable(let table), .inserts(let table): tableFault(table, declaration)
        case .dropsObject(let object, let name): objectFault(object, name, declaration)
        case .dropsConstraint(let constraint, let table): constraintFault(constraint, table, declaration)
        case .renamesTable(let from, let to):
            // It does not make its own names known.
            tableFault(from, declaration, known: actualTables)
                ?? tableFault(to, declaration, known: actualTables)
        case .dropsColumn(let table, let column): columnFault(table, column, declaration)
        case .renamesColumn(let table, let from, let to):
            columnFault(table, from, declaration) ?? columnFault(table, to, declaration)
        case .rewrites(let table, let column):
            if let column { columnFault(table, column, declaration) } else { tableFault(table, declaration) }
        case .preserves, .foreignKeysImmediate, .ignores: nil
        }
    }

    /// Returns why the condition of `deletes from` does not compile on the state before the step.
    func conditionFault(of declaration: Declaration, _ connection: any Connection) -> Finding? {
        guard case .deletes(let name, let condition?) = declaration.kind, let table = earlierTable(name)
        else {
            return nil
        }
        do {
            _ = try connection.prepare("SELECT 1 FROM main.\(quotedName(table.name)) WHERE (\(condition))")
            return nil
        } catch {
            return invalid(
                "the condition does not compile before the migration: \(String(describing: error))",
                declaration, nil)
        }
    }

    /// Returns the finding for a condition that compiles but fails on a row.
    func runtimeFault(of declaration: Declaration, _ error: EngineError) -> Finding {
        invalid("the condition fails on a row: \(error.sentence)", declaration, nil)
    }

    /// Returns the tables, before and after, that a name may refer to: those with that name, or renamed from or to it.
    private func tables(called name: String) -> [Catalog.Table] {
        let declared = (renamed[name.foldedASCII] ?? []).flatMap { [before.table($0), after.table($0)] }
        return actualTables(called: name) + declared.compactMap { $0 }
    }

    /// Returns the same without declared renames.
    private func actualTables(called name: String) -> [Catalog.Table] {
        let later = lineage.currentName(of: name).flatMap(after.table)
        let earlier = lineage[name]?.origin.flatMap(before.table)
        return [before.table(name), after.table(name), later, earlier].compactMap { $0 }
    }

    private func earlierTable(_ name: String) -> Catalog.Table? {
        before.table(name) ?? lineage[name]?.origin.flatMap(before.table)
            ?? renamed[name.foldedASCII]?.lazy.compactMap(before.table).first
    }

    private func deletionFault(_ table: String, _ condition: String?, _ declaration: Declaration) -> Finding?
    {
        if let fault = tableFault(table, declaration) { return fault }
        guard earlierTable(table) != nil else {
            return invalid(
                "table \(table) is made by the migration: it has no rows that could be deleted", declaration,
                nil)
        }
        guard let condition, !Sandbox.isExpression(condition) else { return nil }
        return invalid("'\(condition)' is not one expression", declaration, nil)
    }

    private func tableFault(
        _ name: String, _ declaration: Declaration, known: ((String) -> [Catalog.Table])? = nil
    ) -> Finding? {
        if !(known ?? tables)(name).isEmpty || name.foldedASCII == "sqlite_sequence" { return nil }
        let names = (before.tables.values.map(\.name) + after.tables.values.map(\.name)).sorted()
        return invalid(
            "no table is called '\(name)' before or after the migration", declaration,
            nearestName(to: name, in: names))
    }

    private func objectFault(
        _ object: Declaration.Object, _ name: String, _ declaration: Declaration
    ) -> Finding? {
        let known = before.objects.values.filter { $0.kind.rawValue == object.rawValue }.map(\.name)
        if known.contains(where: { $0.foldedASCII == name.foldedASCII }) { return nil }
        return invalid(
            "no \(object.rawValue) is called '\(name)' before the migration", declaration,
            nearestName(to: name, in: known.sorted()))
    }

    private func constraintFault(
        _ constraint: DeclaredConstraint, _ table: String, _ declaration: Declaration
    ) -> Finding? {
        for column in constraint.columns ?? [] {
            if let fault = columnFault(table, column, declaration) { return fault }
        }
        if let fault = tableFault(table, declaration) { return fault }
        guard let earlier = earlierTable(table), let definition = earlier.model else { return nil }
        let names = constraint.condition.map { SQLFragment(sql: $0).names } ?? []
        // Columns may be called as they are after the step.
        let later = (constraint.columns ?? []).map(\.foldedASCII) + names
        if later.contains(where: { earlier.column($0) == nil && after.table(table)?.column($0) != nil }) {
            return nil
        }
        let known = definition.constraints
        if known.contains(where: constraint.names) { return nil }
        return invalid(
            "table \(table) has no constraint '\(constraint.words)' before the migration", declaration,
            known.first { $0.kind == constraint.kind }.map { DeclaredConstraint([$0]).words })
    }

    private func columnFault(_ table: String, _ column: String, _ declaration: Declaration) -> Finding? {
        if let fault = tableFault(table, declaration) {
            // The name of the schema, which looks like a table's where no column follows.
            guard case .rewrites = declaration.kind, table.foldedASCII == "main",
                let meant = tables(called: column).first
            else { return fault }
            return invalid(Sentence(fault.message), declaration, "\(quotedIfNeeded(meant.name)).*")
        }
        if table.foldedASCII == "sqlite_sequence" { return nil }
        let tables = tables(called: table)
        if tables.contains(where: { $0.column(column) != nil }) { return nil }
        return invalid(
            "table \(table) has no column '\(column)' before or after the migration", declaration,
            nearestName(to: column, in: tables.flatMap { $0.columns.map(\.name) }.sorted()))
    }

    private func invalid(_ sentence: Sentence, _ declaration: Declaration, _ nearest: String?) -> Finding {
        Finding(
            .invalidDeclaration, sentence,
            help: nearest.map { "Did you mean '\($0)'?" } ?? "Declared was: \(declaration.text)",
            migration: migration, place: declaration.place)
    }
}

extension Declaration {
    /// Whether it is about the rows for which something is true, which only a connection can tell.
    var hasCondition: Bool {
        if case .deletes(_, .some) = kind { true } else { false }
    }
}
