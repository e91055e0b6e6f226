import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds values that DROP COLUMN deletes and that are nowhere else when the migration ends.
struct DroppedColumn {
    let step: LintStep

    private var declared: DeclaredChanges { DeclaredChanges(of: step.migration) }

    func fault(_ name: QualifiedName, _ column: String) -> LintFault? {
        guard step.hasRowsOfUsers(name), let trackedTable = step.lineage[name.name],
            let origin = trackedTable.origin,
            let old = step.start.table(origin)?.column(trackedTable.firstName(column)), old.generated == nil,
            !declared.drops([column, old.name], of: [name.folded, origin])
        else { return nil }
        return lost(old, name, column, origin)
    }

    /// - Parameters:
    ///   - old: the column as before the migration.
    ///   - column: its name where it is dropped.
    ///   - origin: the table's name when the migration began.
    private func lost(
        _ old: Column, _ name: QualifiedName, _ column: String, _ origin: String
    ) -> LintFault? {
        let table = step.firstName(of: name.name)
        let own = "\(quotedIfNeeded(table)).\(quotedIfNeeded(old.name))"
        let last = lastName(of: name.folded)
        func fault(_ severity: Finding.Severity, _ more: String, _ help: Help) -> LintFault {
            LintFault(
                severity, "DROP COLUMN deletes every value of \(name.name).\(column)\(more)", help: help,
                at: step.statement, table: name.name, column: column)
        }
        // A declaration uses the earlier name: where another column now has it, that column is intended to stay.
        let isTaken = isTaken(old.name, name)
        if isTaken, declared.rewrites(old.name, of: [table.foldedASCII]) { return nil }
        let loss = remedy(
            isTaken ? "that is intended" : "they are no longer needed",
            "\(isTaken ? "rewrites" : "drops column") \(own)")
        guard let (place, extent) = SavedColumn(of: old.name, in: origin, step.migration).ends.first else {
            return fault(.error, "", loss)
        }
        let copy = place.table.name + (place.column.map { ".\($0)" } ?? "")
        guard extent != .some else {
            return fault(.error, ", and \(copy) has those of only some rows", loss)
        }
        guard extent == .whole, !isConverted(old, place, origin) else {
            return fault(.warning, "", loss)
        }
        guard place.table.name == last else {
            return fault(.warning, ", which \(copy) has when the migration ends", loss)
        }
        guard let kept = place.column, kept != old.name.foldedASCII else { return nil }
        return fault(
            .warning, ", which \(copy) has when the migration ends",
            remedy(
                "that is its new name",
                "renames column \(own) to \(quotedIfNeeded(table)).\(quotedIfNeeded(kept))"))
    }

    /// Whether another column has the name by then, or gets it later in the migration.
    private func isTaken(_ column: String, _ table: QualifiedName) -> Bool {
        if step.after.table(table.name)?.column(column) != nil { return true }
        return step.migration.statements.dropFirst(step.index + 1).contains { statement in
            switch statement.action {
            case .renameColumn(let name, _, let now), .addColumn(let name, let now):
                name.folded == table.folded && now.foldedASCII == column.foldedASCII
            default: false
            }
        }
    }

    /// Whether the column that then has the values has a different affinity, which converts them.
    private func isConverted(
        _ old: Column, _ place: SavedColumn.Place, _ origin: String
    ) -> Bool {
        guard let before = step.start.table(origin), let table = step.after.table(place.table.name),
            let column = place.column.flatMap(table.column)
        else { return false }
        let (was, now) = (before.affinity(of: old), table.affinity(of: column))
        return was != now && now != .blob
    }

    /// Returns a table's name when the migration ends.
    private func lastName(of table: String) -> String {
        step.migration.statements.dropFirst(step.index + 1).reduce(table) { name, statement in
            if case .renameTable(let from, let to) = statement.action, from.folded == name {
                to.foldedASCII
            } else {
                name
            }
        }
    }
}
