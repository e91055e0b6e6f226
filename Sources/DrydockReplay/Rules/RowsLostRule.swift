import DrydockFindings
import DrydockConservation
import DrydockState
import SQLiteSchema

/// `rows-lost`: rows that existed before the step are gone, beyond what a declaration allows.
struct RowsLostRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        step.conservation.kept.compactMap { kept in
            let (match, difference) = (kept.match, kept.difference)
            guard difference.lost.count > 0 else { return nil }
            let name = match.before.name
            let unnamed =
                !step.migration.isOfCommand && !step.actions.contains { match.isWritten(by: $0.action) }
            let count = difference.lost.count
            let extra =
                difference.declaredLost > 0 ? ", besides \(difference.declaredLost) that are declared" : ""
            return StepFinding(
                Finding(
                    .rowsLost,
                    "\(counted(count, "row")) of \(name) \(count == 1 ? "is" : "are") gone"
                        + " (of \(difference.rowsBefore ?? difference.rowsCompared))\(extra)\(unnamed ? ", though no statement deletes from it" : "")",
                    help: rekeyed(kept)
                        + remedy(
                            "they are no longer needed",
                            "deletes from \(quotedIfNeeded(name)) where CONDITION",
                            else: step.migration.isOfCommand
                                ? ""
                                : unnamed
                                    ? "If not: a foreign key's ON DELETE action or a trigger deleted them."
                                    : "Only rows that meet the condition before the step may then be deleted."
                        ),
                    place: step.lastStatement { match.isWritten(by: $0) }.map { .init($0) }, table: name,
                    evidence: Evidence(
                        rowCount: count,
                        rows: difference.lost.samples.map { .init(key: step.key($0, of: difference)) })),
                probe: difference.lost.samples.first.map {
                    .row(match, difference.locator(of: $0), column: nil)
                })
        }
    }

    /// Returns the remedy for rows that may be there under another key.
    private func rekeyed(_ kept: Conservation.Kept) -> Help {
        let table = kept.match.before
        guard kept.difference.added.count > 0, table.primaryKey.count == 1, let key = table.primaryKey.first
        else { return "" }
        return """
            If they only got new keys, declare that; the rest of each row is still compared:
            \(declaration: "rewrites \(quotedIfNeeded(table.name)).\(quotedIfNeeded(key.name))")

            """
    }
}

extension TableMatch {
    /// Whether a statement names the table to delete rows from it or to create it again.
    fileprivate func isWritten(by action: StatementAction) -> Bool {
        switch action {
        case .delete(let name), .update(let name, _), .insert(let name, _, _), .dropTable(let name):
            isCalled(name.name)
        case .renameTable(let name, let to): isCalled(name.name) || isCalled(to)
        default: false
        }
    }
}
