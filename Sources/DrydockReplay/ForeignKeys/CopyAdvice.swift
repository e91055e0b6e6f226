import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Explains values that changed, or rows that were lost, because a copying statement put columns in the wrong places or
/// left out what its table refused.
struct CopyAdvice {
    let migration: Migration
    let before: Catalog
    let after: Catalog

    func explaining(_ it: StepFinding) -> StepFinding {
        guard let culprit = it.culprit, let table = it.finding.table.flatMap(before.table) else { return it }
        let statement = migration.statements[culprit]
        guard case .insert(_, _, _?) = statement.action else { return it }
        var it = it
        switch it.finding.rule {
        case .valuesChanged:
            let lineage = TableLineage(before, statements: migration.statements)
            guard let column = it.finding.column, let now = after.table(table.name),
                let copy = lineage[now.name]?.copies.first(where: { $0.statement == culprit }),
                let crossed = CrossedCopy(statement, into: now, from: table), crossed.concerns([column])
            else { return it }
            let cause = crossed.cause(migration.mention(culprit))
            it.finding.message += ": " + cause
            it.finding.redactedMessage? += ": " + cause
            it.finding.add(reason: cause)
            it.finding.advice = crossed.help + "\n" + it.finding.advice
        case .rowsLost where statement.conflictWord == "ignore":
            it.finding.advice =
                "OR IGNORE leaves out in silence what the new table refuses. Without it the copy fails and names these rows: "
                + "change their values in the SELECT so that the table takes them.\n" + it.finding.advice
        default: break
        }
        return it
    }
}
