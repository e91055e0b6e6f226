import SQLiteSchema

/// `rows-lost`: rows that existed before the step are gone, beyond what a declaration lets go.
struct RowsLostRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        step.conservation.kept.compactMap { kept in
            let (match, difference) = (kept.match, kept.difference)
            if difference.declaredLost > 0 {
                _ = declarations.covers {
                    if case .deletes(let table, _) = $0 { match.isCalled(table) } else { false }
                }
            }
            guard difference.lost.count > 0 else { return nil }
            let name = match.before.name
            let count = difference.lost.count
            let extra = difference.declaredLost > 0 ? ", besides \(difference.declaredLost) that are declared" : ""
            return StepFinding(
                Finding(
                    .rowsLost,
                    "\(counted(count, "row")) of \(name) \(count == 1 ? "is" : "are") gone"
                        + " (of \(difference.rowsCompared))\(extra)",
                    help: remedy(
                        "they were meant to go", "deletes from \(quotedIfNeeded(name)) where CONDITION",
                        else: "Only rows that meet the condition before the step may then go."),
                    table: name,
                    evidence: Evidence(
                        rowCount: count,
                        rows: difference.lost.samples.map { .init(key: step.key($0, of: difference)) })),
                probe: difference.lost.samples.first.map {
                    .row(match, difference.locator(of: $0), column: nil)
                })
        }
    }
}
