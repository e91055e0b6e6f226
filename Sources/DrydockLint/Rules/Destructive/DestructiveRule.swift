import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `destructive-undeclared`: existing rows, tables or columns are deleted or rewritten, and no declaration says that
/// this is intended.
struct DestructiveRule: LintRule {
    let rule = Rule.destructiveUndeclared
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "existing data is dropped, deleted or rewritten without a declaration",
        detail: """
            DROP TABLE, DROP COLUMN and DELETE remove data that users have; nothing brings it back after the \
            upgrade. If that is intended, a declaration says so, and `drydock verify` checks that the \
            migration loses exactly that. UPDATE of a column that existed is a warning, and so is the UPDATE \
            of an upsert. REPLACE deletes the row that has the same key: columns that it does not name are \
            lost and, with foreign keys on, ON DELETE acts on the children. DELETE does the same, and UPDATE \
            of a key by ON UPDATE: declare the children's rows as well as the parent's. Rows that are \
            deleted by a trigger that a statement fires count as well. Not reported are a table whose rows \
            the migration first copied to one that exists at the end, and what the migration itself created. \
            If an earlier migration copied the rows, it is a warning: rows that were added since are not in \
            the copy.
            """,
        bad: "DROP TABLE legacy_label;",
        good: """
            -- drydock: drops table legacy_label
            DROP TABLE legacy_label;
            """)

    func check(_ step: LintStep) -> [LintFault] {
        let triggers = FiredTriggers(step: step)
        if let view = step.before.views[step.action.changedTable?.foldedASCII ?? ""] {
            return triggers.faults(through: view)
        }
        let found = found(step).compactMap { $0 }
        // Once the loss of the table's own rows is declared, the dependent losses are reported.
        let isRefused = found.contains { ($0.severity ?? .error) == .error }
        return found + triggers.faults + (isRefused ? [] : ReferencingRows(step: step).faults)
    }

    private func found(_ step: LintStep) -> [LintFault?] {
        switch step.action {
        case .dropTable(let name): [DroppedTable(step: step).fault(name)]
        case .dropColumn(let name, let column): [DroppedColumn(step: step).fault(name, column)]
        case .delete(let name): [DeletedRows(step: step).fault(name)]
        case .update(let name, let columns):
            [
                RewrittenValues(step: step).fault(name, columns, by: "UPDATE"),
                ReplacedRows(step: step).fault(name, columns),
            ]
        case .insert(let name, let columns, _):
            [
                ReplacedRows(step: step).fault(name, columns),
                RewrittenValues(step: step).fault(
                    name, step.statement.upsertColumns, by: "ON CONFLICT DO UPDATE"),
            ]
        default: []
        }
    }

    /// Reports a rebuild that leaves out rows or columns, or converts their values.
    func check(_ migration: LintMigration) -> [LintFault] {
        migration.rebuilds.filter { migration.occupied.contains($0.old.name.foldedASCII) }.flatMap {
            RebuildLosses(rebuild: $0, migration: migration).faults
        }
    }
}

extension LintStep {
    /// Whether a table may have rows that users had before the migration, and that are nowhere else.
    func hasRowsOfUsers(_ name: QualifiedName) -> Bool {
        guard isOccupied(name) else { return false }
        if isExisting(name), before.table(name.name) != nil { return true }
        return start.virtualTables[name.folded]?.holdsText ?? false && !isDerived(name)
    }

    /// Whether a full-text table is filled from other tables: by triggers, or again by the migration.
    private func isDerived(_ name: QualifiedName) -> Bool {
        func fills(_ statement: SQLStatement) -> Bool {
            if case .insert(let target, _, _?) = statement.action {
                target.folded == name.folded
            } else {
                false
            }
        }
        return start.triggers.values.contains { $0.body.contains { $0.names.contains(name.folded) } }
            || migration.statements.dropFirst(index).contains(where: fills)
    }

    /// Returns the names by which a declaration may refer to a table.
    func declaredNames(of name: QualifiedName) -> [String] {
        [name.folded, lineage[name.name]?.origin].compactMap { $0 }
    }
}
