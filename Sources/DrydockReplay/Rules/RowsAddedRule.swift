import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `rows-added`: a step added rows, undeclared, to a table that existed before. A warning: nothing is lost, but an app
/// that expects only its own rows may be surprised. A note where an empty table was filled from others.
struct RowsAddedRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        step.conservation.kept.compactMap { kept in
            let difference = kept.difference
            guard difference.added.count > 0 else { return nil }
            let isDeclared = declarations.covers {
                if case .inserts(let table) = $0 { kept.match.isCalled(table) } else { false }
            }
            guard !isDeclared else { return nil }
            let (name, count) = (kept.match.before.name, difference.added.count)
            let inserts = step.actions.filter { entry in
                if case .insert(let table, _, _) = entry.action {
                    kept.match.isCalled(table.name)
                } else {
                    false
                }
            }
            let isFilled = kept.wasEmpty && !inserts.isEmpty && inserts.allSatisfy { $0.action.copiesRows }
            return StepFinding(
                Finding(
                    .rowsAdded, isFilled ? .note : .warning,
                    "\(counted(count, "row")) appeared in \(name)"
                        + (isFilled ? ", which was empty, copied from other tables" : ""),
                    help: isFilled ? "" : remedy("they are intended", "inserts into \(quotedIfNeeded(name))"),
                    place: inserts.last.map { .init($0.statement) }, table: name,
                    evidence: Evidence(
                        rowCount: count,
                        rows: difference.added.samples.map { .init(key: step.key($0, of: difference)) })),
                probe: isFilled ? nil : .added(kept.match))
        }
    }
}

extension StatementAction {
    /// Whether the statement inserts rows that it selects from tables.
    fileprivate var copiesRows: Bool {
        if case .insert(_, _, let copy?) = self { !copy.tables.isEmpty } else { false }
    }
}
