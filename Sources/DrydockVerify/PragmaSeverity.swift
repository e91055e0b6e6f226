import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// The severity of a `PRAGMA foreign_keys` without effect, once the migration has run: an error only where rows were
/// lost or changed through the foreign keys that stayed on, or where the step's result is broken in another way.
struct PragmaSeverity {
    let migration: Migration
    /// The schema before the migration, where it is known.
    let before: Schema?
    /// The findings of the replays about its steps.
    let found: [Finding]

    init(migration: Migration, before: Schema?, found: [Finding]) {
        self.migration = migration
        self.before = before
        self.found = found
    }

    func weighed(_ finding: Finding) -> Finding {
        guard finding.rule == .pragmaIgnored, finding.severity == .error, !hasDoneHarm else { return finding }
        var finding = finding
        finding.severity = .warning
        finding.advice =
            "No snapshot lost or changed a row by that. The PRAGMA does nothing here: leave it out, or have the tool run "
            + "this file without a transaction where it can."
        return finding
    }

    private var hasDoneHarm: Bool {
        let data: Set<Rule> = [.rowsLost, .valuesChanged, .tableDropped, .columnDropped]
        let reached = dependants
        return found.contains { finding in
            guard finding.severity == .error, finding.migration == migration.identifier else { return false }
            guard data.contains(finding.rule), let reached, let table = finding.table else { return true }
            return reached.contains(table.foldedASCII)
        }
    }

    /// The tables with rows that a foreign key deletes or changes together with rows that the migration writes, folded;
    /// nil where the schema is not known.
    private var dependants: Set<String>? {
        guard let before else { return nil }
        let written = migration.statements.compactMap { statement in
            statement.action.canLoseRows ? statement.action.target?.folded : nil
        }
        var (reached, open): (Set<String>, [String]) = ([], written)
        while let parent = open.popLast() {
            for table in before.tables.values {
                let acts = table.foreignKeys.contains {
                    $0.parent.foldedASCII == parent && ($0.onDelete.changesRows || $0.onUpdate.changesRows)
                }
                if acts, reached.insert(table.name.foldedASCII).inserted {
                    open.append(table.name.foldedASCII)
                }
            }
        }
        return reached
    }
}

extension ForeignKey.Action {
    /// Whether the action deletes or changes the rows that reference another.
    fileprivate var changesRows: Bool {
        switch self {
        case .cascade, .setNull, .setDefault: true
        default: false
        }
    }
}
