import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds rows that DROP TABLE deletes and that are nowhere else.
struct DroppedTable {
    let step: LintStep

    private var declared: DeclaredChanges { DeclaredChanges(of: step.migration) }

    func fault(_ name: QualifiedName) -> LintFault? {
        guard step.hasRowsOfUsers(name) else { return nil }
        let shelter = SavedRows(step.migration)
        let holding = shelter.holding(name.name, at: step.index)
        if case .whole = holding { return nil }
        let names = step.declaredNames(of: name)
        if case .some = holding, declared.deletes(from: names) { return nil }
        let isDeclared = declared.contains { kind in
            switch kind {
            case .dropsTable(let table): names.contains(table.foldedASCII)
            case .renamesTable(let from, _): names.contains(from.foldedASCII)
            default: false
            }
        }
        if isDeclared { return nil }
        // Values that an earlier statement read may be kept elsewhere.
        let wasRead = step.migration.statements.prefix(step.index).enumerated().contains { place, statement in
            guard let changed = statement.action.changedTable?.foldedASCII, !shelter.isLost(place) else {
                return false
            }
            return !names.contains(changed) && names.contains { statement.mentions($0) }
        }
        var message = "DROP TABLE deletes every row of \(name.name)"
        var severity = wasRead ? Finding.Severity.warning : .error
        if case .some = holding {
            message =
                "DROP TABLE deletes the rows of \(name.name) that were not copied: the copy has only some"
            severity = .error
        }
        if case .none = holding, let copy = earlierCopy(of: name) {
            message =
                "DROP TABLE deletes the rows of \(name.name) that were added after \(copy.origin.migration.identifier), which "
                + "copied the rows of that time to \(copy.target)"
            severity = .warning
        }
        return LintFault(
            severity, message,
            help: remedy("they may go", "drops table \(quotedIfNeeded(step.firstName(of: name.name)))"),
            at: step.statement, table: name.name)
    }

    /// Returns the copy of all rows of a table that an earlier migration made and that is still there: a rebuild may be
    /// spread over several files.
    private func earlierCopy(of name: QualifiedName) -> LintRecord.Copy? {
        step.copies.last { copy in
            copy.source == name.folded && copy.origin.migration.identifier != step.migration.identifier
                && !copy.origin.statement.takesSome(of: copy.source)
        }
    }
}
