import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `drop-parent-cascades`: DROP TABLE of a parent with foreign keys on first deletes its rows
/// (https://www.sqlite.org/foreignkeys.html#fk_schemacommands).
struct DropParentRule: LintRule {
    let rule = Rule.dropParentCascades
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "DROP TABLE of a parent acts on its children, since foreign keys are on",
        detail: """
            With foreign keys on, DROP TABLE deletes the table's rows first. ON DELETE CASCADE then deletes \
            the children's rows, SET NULL and SET DEFAULT change them, and without an action the statement \
            fails if a child row exists. `PRAGMA foreign_keys = OFF` does nothing inside a transaction. Have \
            the tool run the migration outside a transaction with foreign keys off, or first copy the \
            children's rows to another table. A table that references itself is its own child: the copy that \
            a rebuild makes references the old table, and its rows are deleted with it.
            """,
        bad: """
            -- under a tool that enforces foreign keys
            DROP TABLE account;
            ALTER TABLE new_account RENAME TO account;
            """)

    func check(_ step: LintStep) -> [LintFault] {
        guard case .dropTable(let name) = step.action, step.isOccupied(name),
            step.before.table(name.name) != nil
        else { return [] }
        // A child that the migration created counts once rows were copied into it.
        let keys = step.before.tables.values.filter {
            $0.name.foldedASCII != name.folded && step.occupied.contains($0.name.foldedASCII)
        }.sorted { $0.name < $1.name }.flatMap { table in
            table.foreignKeys.filter { $0.parent.foldedASCII == name.folded }.map { (table, $0) }
        }
        guard !keys.isEmpty, step.foreignKeysAreOn else { return [] }
        let acting = keys.first { [.cascade, .setNull, .setDefault].contains($0.1.onDelete) }
        if let (child, key) = acting {
            let what =
                key.onDelete == .cascade
                ? "deletes the rows of \(child.name) that reference it"
                : "resets \(key.columns.joined(separator: ", ")) of the rows of \(child.name) that reference it"
            let origins = step.origins(of: child.name).map(\.name)
            if declares(step.migration, origins + [child.name]) { return [] }
            return [
                fault(
                    "DROP TABLE \(name.name) \(what), by ON DELETE \(key.onDelete.rawValue): foreign keys are on",
                    step,
                    name.name)
            ]
        }
        guard let (child, key) = keys.first, !step.foreignKeysAreDeferred || key.onDelete == .restrict else {
            return []
        }
        return [
            fault(
                "DROP TABLE \(name.name) fails if a row of \(child.name) references it: foreign keys are on",
                step, name.name)
        ]
    }

    private func fault(_ message: String, _ step: LintStep, _ table: String) -> LintFault {
        LintFault(
            .error, message,
            help: step.migration.isDeferred
                ? "Remove 'foreign-keys immediate', so that foreign keys are off while the migration runs and checked before the commit."
                : ForeignKeysAdvice(step.migration, step.format).dropping(at: step.index),
            at: step.statement,
            table: table)
    }

    private func declares(_ migration: Migration, _ children: [String]) -> Bool {
        let names = children.map(\.foldedASCII)
        return migration.declarations.contains { declaration in
            switch declaration.kind {
            case .deletes(let table, _), .rewrites(let table, _): return names.contains(table.foldedASCII)
            default: return false
            }
        }
    }
}
