import DatabaseEngine
import SQLiteSchema

/// Holds a declaration against the schemas around its step: a name that neither has is misspelt.
struct DeclarationNames: Sendable {
    let before: Catalog
    let after: Catalog
    let migration: String

    func fault(of declaration: Declaration) -> Finding? {
        switch declaration.kind {
        case .dropsTable(let table), .deletes(let table, _), .inserts(let table):
            tableFault(table, declaration)
        case .renamesTable(let from, let to): tableFault(from, declaration) ?? tableFault(to, declaration)
        case .dropsColumn(let table, let column): columnFault(table, column, declaration)
        case .renamesColumn(let table, let from, let to):
            columnFault(table, from, declaration) ?? columnFault(table, to, declaration)
        case .rewrites(let table, let column):
            if let column { columnFault(table, column, declaration) } else { tableFault(table, declaration) }
        case .preserves, .foreignKeysImmediate: nil
        }
    }

    /// Why the condition of `deletes from` does not compile on the state before the step.
    func conditionFault(of declaration: Declaration, _ connection: any Connection) -> Finding? {
        guard case .deletes(let name, let condition?) = declaration.kind else { return nil }
        guard let table = before.table(name) else { return nil }
        do {
            _ = try connection.prepare("SELECT 1 FROM main.\(quotedName(table.name)) WHERE (\(condition))")
            return nil
        } catch {
            return invalid("the condition does not compile before the migration: \(error)", declaration, nil)
        }
    }

    private func tableFault(_ name: String, _ declaration: Declaration) -> Finding? {
        if before.table(name) != nil || after.table(name) != nil || name.foldedASCII == "sqlite_sequence" {
            return nil
        }
        let names = (before.tables.values.map(\.name) + after.tables.values.map(\.name)).sorted()
        return invalid(
            "no table is called '\(name)' before or after the migration", declaration,
            nearestName(to: name, in: names))
    }

    private func columnFault(_ table: String, _ column: String, _ declaration: Declaration) -> Finding? {
        if let fault = tableFault(table, declaration) { return fault }
        if table.foldedASCII == "sqlite_sequence" { return nil }
        // A renamed table may be called by its old name with a new column, and the other way round.
        let tables = (before.tables.values.map { $0 } + after.tables.values.map { $0 })
        if tables.contains(where: { $0.column(column) != nil && $0.name.foldedASCII == table.foldedASCII }) {
            return nil
        }
        let names = tables.filter { $0.name.foldedASCII == table.foldedASCII }.flatMap {
            $0.columns.map(\.name)
        }
        return invalid(
            "table \(table) has no column '\(column)' before or after the migration", declaration,
            nearestName(to: column, in: names.sorted()))
    }

    private func invalid(_ message: String, _ declaration: Declaration, _ nearest: String?) -> Finding {
        Finding(
            .invalidDeclaration, message,
            help: nearest.map { "Did you mean '\($0)'?" } ?? "Declared was: \(declaration.text)",
            migration: migration, place: declaration.place)
    }
}
