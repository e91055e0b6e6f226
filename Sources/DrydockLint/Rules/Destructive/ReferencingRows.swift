import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds what DELETE, and UPDATE of a key, do to the rows that reference the parent's rows
/// (https://www.sqlite.org/foreignkeys.html#fk_actions).
struct ReferencingRows {
    let step: LintStep

    private var declared: DeclaredChanges { DeclaredChanges(of: step.migration) }

    var faults: [LintFault] {
        let (name, columns): (QualifiedName, [String]?)
        switch step.action {
        case .delete(let table): (name, columns) = (table, nil)
        case .update(let table, let assigned): (name, columns) = (table, assigned)
        default: return []
        }
        guard step.isOccupied(name), let parent = step.before.table(name.name),
            step.isReferenced(name), step.foreignKeysAreOn || step.migration.isDeferred
        else { return [] }
        let assigned = columns.map { Set($0.map { (parent.rowidColumn($0) ?? $0).foldedASCII }) }
        let children = step.before.tables.values.filter { step.occupied.contains($0.name.foldedASCII) }
            .sorted { $0.name < $1.name }
        return children.compactMap { child -> LintFault? in
            let keys = child.foreignKeys.filter { key in
                guard key.parent.foldedASCII == name.folded else { return false }
                // Rows that are deleted together do not obstruct each other.
                guard let assigned else { return child.name != parent.name }
                let columns = step.before.parentColumns(of: key) ?? []
                return columns.contains { assigned.contains($0.foldedASCII) }
            }
            return keys.lazy.compactMap { fault(child, $0, parent) }.first
        }
    }

    private func fault(_ child: Table, _ key: ForeignKey, _ parent: Table) -> LintFault? {
        var verb = "DELETE"
        if case .update = step.action { verb = "UPDATE" }
        let isDelete = verb == "DELETE"
        let action = isDelete ? key.onDelete : key.onUpdate
        // An author who reads the child's rows, or changes them before, has considered them.
        let isHandled = step.statement.mentions(child.name) && child.name != parent.name
        if isHandled || !step.changing(child.name).isEmpty { return nil }
        let name = QualifiedName(name: child.name)
        let isOfAll = step.statement.outermost("where") == nil
        func fault(_ severity: Finding.Severity, _ what: String, _ help: Help) -> LintFault {
            LintFault(
                severity, "\(verb) of \(parent.name) \(what): foreign keys are on", help: help,
                at: step.statement, table: child.name, column: isDelete ? nil : key.columns.first)
        }
        guard step.foreignKeysAreOn else { return orphans(child, parent, verb) }
        let first = quotedIfNeeded(step.firstName(of: child.name))
        switch action {
        case .cascade where isDelete:
            if declared.deletes(from: step.declaredNames(of: name)) { return nil }
            return fault(
                .error, "deletes the rows of \(child.name) that reference it, by ON DELETE CASCADE",
                remedy("they may go", "deletes from \(first) where CONDITION"))
        case .cascade, .setNull, .setDefault:
            let names = step.declaredNames(of: name)
            let isDeclared = key.columns.allSatisfy { declared.rewrites($0, of: names) }
            if isDeclared { return nil }
            let list = key.columns.map { "\(first).\(quotedIfNeeded($0))" }.joined(separator: ", ")
            return fault(
                .warning,
                "changes \(key.columns.joined(separator: ", ")) of \(child.name), by ON \(verb) \(action.rawValue)",
                remedy("that is intended", "rewrites \(list)"))
        case .restrict, .noAction:
            let isLater = key.isDeferred || step.foreignKeysAreDeferred
            if isLater, action == .noAction { return nil }
            return fault(
                isOfAll ? .error : .warning, "fails if a row of \(child.name) references it",
                "Change or delete the rows of \(child.name) first.")
        }
    }

    /// Returns the rows that lose their parent while foreign keys are off, whatever action their key declares.
    private func orphans(_ child: Table, _ parent: Table, _ verb: String) -> LintFault? {
        let isMended = step.migration.statements.dropFirst(step.index + 1).contains { statement in
            switch statement.action {
            case .delete(let name), .update(let name, _), .dropTable(let name):
                name.folded == child.name.foldedASCII
            default: false
            }
        }
        if isMended { return nil }
        return LintFault(
            step.statement.outermost("where") == nil ? .error : .warning,
            "\(verb) of \(parent.name) leaves rows of \(child.name) that reference it: the check of foreign keys before the commit fails",
            help: "Change or delete the rows of \(child.name) too.", at: step.statement, table: child.name)
    }
}

extension LintStep {
    fileprivate func isReferenced(_ name: QualifiedName) -> Bool {
        before.tables.values.contains { table in
            table.foreignKeys.contains { $0.parent.foldedASCII == name.folded }
        }
    }
}
