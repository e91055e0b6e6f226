import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import SQLiteSchema

/// `column-dropped`: a column was dropped without a declaration. One with only NULLs is a warning. A rename that a
/// copying statement made and every value confirms is a note; so is a column with all of its values in another table,
/// with the keys of their rows.
struct ColumnDroppedRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        var findings: [StepFinding] = []
        for dropped in step.conservation.droppedColumns {
            let (table, column) = (dropped.table.name, dropped.column.name)
            let kept = step.conservation.kept.first { $0.match.before.name == table }
            let isDeclared = declarations.covers {
                guard case .dropsColumn(let named, let name) = $0 else { return false }
                return kept?.match.isCalled(named) == true && name.foldedASCII == column.foldedASCII
            }
            guard !isDeclared else { continue }
            if let basis = dropped.basis, basis.gone.isEmpty, dropped.home == nil {
                findings.append(derivedColumn(dropped, basis, in: step))
                continue
            }
            let count = dropped.valueCount
            let path = quotedIfNeeded(table) + "." + quotedIfNeeded(column)
            if let home = dropped.home {
                findings.append(
                    StepFinding(
                        Finding(
                            .columnDropped, .note,
                            "column \(table).\(column) is gone; all its values are in \(home)",
                            place: place(of: table, column, in: step), table: table, column: column,
                            evidence: count > 0 ? Evidence(rowCount: count) : nil)))
                continue
            }
            let rename: Help? = dropped.equalColumn.map { equalColumn in
                "Column \(equalColumn) has all its values. If that is a rename, declare it:\n"
                    + .declaration(
                        "renames column \(path) to \(quotedIfNeeded(table)).\(quotedIfNeeded(equalColumn))")
            }
            let gone = dropped.place?.missing ?? count
            let found = dropped.place.map { place in
                place.found == 1
                    ? "; another value is in \(place.path)"
                    : "; \(place.found) other values are in \(place.path)"
            }
            let places = dropped.whereabouts.joined(separator: ", ")
            let moved: Help? =
                places.isEmpty
                ? nil
                : "All its values are in \(places): if they were moved there, each with its own row, nothing is lost."
            findings.append(
                StepFinding(
                    Finding(
                        .columnDropped, count == 0 ? .warning : .error,
                        "column \(table).\(column) is gone"
                            + (count == 0 ? "; it held no value" : ", with \(counted(gone, "value"))")
                            + Self.origin(of: dropped, count) + (found ?? ""),
                        help: remedy(
                            "its values are no longer needed", "drops column \(path)",
                            else: rename ?? moved ?? ""
                        ),
                        place: place(of: table, column, in: step), table: table, column: column,
                        evidence: Evidence(rowCount: gone))))
        }
        for kept in step.conservation.kept {
            for pair in kept.match.columns where pair.isGuess {
                let isFilled =
                    kept.match.columns.firstIndex { $0.before.name == pair.before.name }
                    .map { kept.difference.changed[$0] != nil } ?? false
                findings.append(
                    StepFinding(
                        Finding(
                            .columnDropped, .note,
                            "column \(kept.match.before.name).\(pair.before.name) is now \(pair.after.name): "
                                + "the copying statement says so, and every value "
                                + (isFilled ? "that was not NULL is there" : "is there"),
                            table: kept.match.before.name, column: pair.before.name)))
            }
        }
        return findings
    }

    /// Returns the finding for a generated column with values that can be computed again, since all columns it depends
    /// on are unchanged.
    private func derivedColumn(
        _ dropped: Conservation.DroppedColumn, _ basis: Conservation.Basis, in step: StepView
    ) -> StepFinding {
        let (table, column) = (dropped.table.name, dropped.column.name)
        let path = quotedIfNeeded(table) + "." + quotedIfNeeded(column)
        return StepFinding(
            Finding(
                .columnDropped, .warning,
                "generated column \(table).\(column) is gone"
                    + (basis.sources.isEmpty
                        ? ""
                        : "; what it was computed from is unchanged: \(basis.sources.joined(separator: ", "))"),
                help: remedy("it is no longer needed", "drops column \(path)"),
                place: place(of: table, column, in: step), table: table, column: column))
    }

    private static func origin(of dropped: Conservation.DroppedColumn, _ count: Int) -> String {
        guard count > 0, let basis = dropped.basis else { return "" }
        return ", and cannot be computed again: \(basis.gone.joined(separator: ", ")) "
            + (basis.gone.count == 1 ? "is gone or has changed" : "are gone or have changed")
    }

    private func place(of table: String, _ column: String, in step: StepView) -> Finding.Place? {
        let index =
            step.lineage.dropStatement(ofColumn: column, in: table)
            ?? step.conservation.kept.first { $0.match.before.name == table }
            .flatMap { step.lineage[$0.match.after.name]?.createdBy }
        return step.statement(at: index).map { .init($0) }
    }
}
