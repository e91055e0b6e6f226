import SQLiteSchema

/// `rows-added`: rows appeared, undeclared, in a table that existed before. A warning: nothing is lost, yet
/// an app that counts on its own rows may be surprised.
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
            let statement = step.lastStatement {
                if case .insert(let table, _, _) = $0 { kept.match.isCalled(table.name) } else { false }
            }
            return StepFinding(
                Finding(
                    .rowsAdded, .warning, "\(counted(count, "row")) appeared in \(name)",
                    help: remedy("they are meant", "inserts into \(quotedIfNeeded(name))"),
                    place: statement.map { .init($0) }, table: name,
                    evidence: Evidence(
                        rowCount: count,
                        rows: difference.added.samples.map { .init(key: step.key($0, of: difference)) })))
        }
    }
}
