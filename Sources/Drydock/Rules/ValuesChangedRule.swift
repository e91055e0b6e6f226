import SQLiteSchema

/// `values-changed`: a value that existed before the step is another one, in value or in storage class.
struct ValuesChangedRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        var findings: [StepFinding] = []
        for kept in step.conservation.kept {
            let (match, difference) = (kept.match, kept.difference)
            for (position, changes) in difference.changed.sorted(by: { $0.key < $1.key }) {
                guard let first = changes.samples.first else { continue }
                let (table, column) = (match.before.name, match.columns[position].before.name)
                let path = quotedIfNeeded(table) + "." + quotedIfNeeded(column)
                findings.append(
                    StepFinding(
                        Finding(
                            .valuesChanged, "\(table).\(column) changed in \(counted(changes.count, "row"))",
                            help: remedy("the new values are meant", "rewrites \(path)"), table: table,
                            column: column,
                            evidence: Evidence(
                                rowCount: changes.count,
                                rows: changes.samples.map { change in
                                    .init(
                                        key: step.key(change.row, of: difference),
                                        before: step.sample(change.before),
                                        after: step.sample(change.after))
                                })),
                        probe: .row(match, difference.locator(of: first.row), column: position)))
            }
        }
        return findings
    }
}
