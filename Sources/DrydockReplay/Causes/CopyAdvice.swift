import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import SQLiteSchema

/// Explains values that changed, or rows that were lost, by what a statement says: columns in the wrong places, a constant,
/// a type that converts, or what is done with rows that the table refuses.
struct CopyAdvice {
    let migration: Migration
    let before: Catalog
    let after: Catalog

    func explaining(_ it: StepFinding) -> StepFinding {
        guard !it.isExplained, let culprit = it.culprit, let table = it.finding.table.flatMap(before.table)
        else { return it }
        let statement = migration.statements[culprit]
        var it = it
        switch it.finding.rule {
        case .valuesChanged:
            guard let column = it.finding.column, let cause = cause(of: it, culprit, table, column) else {
                return it
            }
            it.add(cause: cause.text, help: cause.help)
        case .rowsLost:
            guard let cause = ConflictCause(statement, migration.mention(culprit), target(culprit)) else {
                return it
            }
            it.add(cause: cause.text, help: cause.help)
        default: break
        }
        return it
    }

    private func cause(
        of it: StepFinding, _ culprit: Int, _ table: Catalog.Table, _ column: String
    ) -> (text: String, help: Help)? {
        let (statement, place) = (migration.statements[culprit], migration.mention(culprit))
        let lineage = TableLineage(before, statements: migration.statements)
        let now = lineage.currentName(of: table.name).flatMap(after.table) ?? after.table(table.name)
        let isCopy = now.flatMap { lineage[$0.name]?.copies.contains { $0.statement == culprit } } ?? false
        if isCopy, let now, let crossed = CrossedCopy(statement, into: now, from: table),
            crossed.concerns([column])
        {
            return (crossed.cause(place), crossed.help)
        }
        if let constant = WrittenConstant(statement, of: column, in: table, into: target(culprit)) {
            let copy = copyWithout(column, before: culprit)
            return (
                constant.cause(place),
                copy.map { "Copy \(quotedIfNeeded(column)) in \(migration.mention($0)) as well." }
                    ?? constant.help
            )
        }
        if let conflict = ConflictCause(statement, place, target(culprit)), conflict.isReplace {
            return (conflict.text, conflict.help)
        }
        guard isCopy, let old = table.model, let new = now?.model,
            statement.copiedColumns(into: new, from: old).contains(where: {
                $0.from != nil && $0.to.foldedASCII == column.foldedASCII
            }),
            let affinity = AffinityCause(it.finding, column, from: old, to: new)
        else { return nil }
        return (affinity.cause, affinity.help)
    }

    /// Returns the copy that filled the table which a later statement writes, if it leaves a column out.
    private func copyWithout(_ column: String, before culprit: Int) -> Int? {
        guard case .update(let name, _) = migration.statements[culprit].action,
            let made = TableLineage(before, statements: Array(migration.statements.prefix(culprit)))[
                name.name],
            made.createdBy != nil, let copy = made.copies.last
        else { return nil }
        let hasAll = copy.columns == nil || copy.items.contains(.star)
        return hasAll || copy.items.contains(.column(column.foldedASCII)) ? nil : copy.statement
    }

    /// Returns the table that a statement writes, as the step leaves it.
    private func target(_ index: Int) -> Table? {
        let lineage = TableLineage(before, statements: Array(migration.statements.prefix(index)))
        guard let name = migration.statements[index].action.target,
            let id = lineage[lineage.key(of: name)]?.id
        else { return nil }
        let end = TableLineage(before, statements: migration.statements)
        return end.name(of: id).flatMap(after.table)?.model
    }
}
