import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import SQLiteSchema

/// `values-changed`: a value that existed before the step has changed, in value or in storage class.
struct ValuesChangedRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        var findings: [StepFinding] = []
        for kept in step.conservation.kept {
            noteUncompared(kept.match, kept.difference, &declarations)
            findings += changes(kept.match, kept.difference, step, &declarations)
            guard let derived = kept.derived else { continue }
            // A value that can be computed again from the existing columns is not lost.
            findings += changes(derived.match, derived.difference, step, &declarations).map { pending in
                var pending = pending
                let column = pending.finding.column?.foldedASCII ?? ""
                guard !derived.irrecoverable.contains(column) else { return pending }
                pending.finding.severity = .warning
                pending.finding.sentence += "; it is generated, by a different expression than before"
                return pending
            }
        }
        return findings
    }

    private func changes(
        _ match: TableMatch, _ difference: TableDifference, _ step: StepView,
        _ declarations: inout DeclarationUse
    ) -> [StepFinding] {
        difference.changed.sorted { $0.key < $1.key }.compactMap { position, changes in
            guard let first = changes.samples.first else { return nil }
            let isDeclared = declarations.covers {
                guard case .rewrites(let named, let name) = $0, match.isCalled(named) else {
                    return false
                }
                return name.map { match.columns[position].isCalled($0) } ?? true
            }
            guard !isDeclared else { return nil }
            return StepFinding(
                finding(of: changes, match, position, difference, step),
                probe: .row(match, difference.locator(of: first.row), column: position))
        }
    }

    private func finding(
        of changes: TableDifference.Changes, _ match: TableMatch, _ position: Int,
        _ difference: TableDifference, _ step: StepView
    ) -> Finding {
        let (table, column) = (match.before.name, match.columns[position].before.name)
        let summary = ChangeSummary(changes, sample: step.sample)
        let declaration = "rewrites \(path(table, column))"
        let keys = keysThatMoved(match, position, difference, step)
        var finding = Finding(
            .valuesChanged,
            Sentence("\(table).\(column) changed in \(counted(changes.count, "row"))\(summary.sentence)"),
            help: keys.map { remedy("the rows are meant to exchange their keys", declaration, else: $0) }
                ?? summary.help(column: column, declaration: declaration),
            table: table, column: column,
            evidence: Evidence(
                rowCount: changes.count,
                rows: changes.samples.map { change in
                    .init(
                        key: step.key(change.row, of: difference), before: step.sample(change.before),
                        after: step.sample(change.after))
                }))
        finding.add(reason: summary.gravest.map { "\($0)" })
        return finding
    }

    /// Returns what to do if no statement writes the column, but one gives rows the keys of other rows: rows are compared
    /// by their keys, so that each of their values appears to have changed.
    private func keysThatMoved(
        _ match: TableMatch, _ position: Int, _ difference: TableDifference, _ step: StepView
    ) -> Help? {
        let table = match.before.name.foldedASCII
        // A trigger may write the column as well.
        guard
            !step.before.catalog.objects.values.contains(where: {
                $0.kind == .trigger && $0.tableName.foldedASCII == table
            })
        else { return nil }
        let keys = difference.keyColumns.map(\.foldedASCII)
        var moved: [String] = []
        for (_, action) in step.actions where action.target.map({ match.isCalled($0.name) }) == true {
            guard case .update(_, let columns) = action,
                !columns.contains(where: { match.columns[position].isCalled($0) })
            else { return nil }
            moved += columns.filter { keys.contains($0.foldedASCII) && !moved.contains($0) }
        }
        guard !moved.isEmpty else { return nil }
        let names = listed(moved.map { path(match.before.name, $0) })
        return """
            Otherwise keep each row's key: no statement writes the column, but UPDATE changes \(names), which pairs the rows before \
            and after.
            """
    }

    private func path(_ table: String, _ column: String) -> String {
        quotedIfNeeded(table) + "." + quotedIfNeeded(column)
    }

    /// Records declared columns that were not compared because they identify rows: whether they were rewritten is not
    /// known; where the table has rows, the declaration counts as needed.
    private func noteUncompared(
        _ match: TableMatch, _ difference: TableDifference, _ declarations: inout DeclarationUse
    ) {
        guard difference.rowsCompared > 0, !difference.uncompared.isEmpty else { return }
        _ = declarations.covers {
            guard case .rewrites(let named, let name) = $0, match.isCalled(named) else { return false }
            return difference.uncompared.contains { position in
                name.map { match.columns[position].isCalled($0) } ?? true
            }
        }
    }
}
