import SQLiteSchema

/// `table-dropped`: a table is gone that no declaration gives up. One without rows is a warning.
struct TableDroppedRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        step.conservation.droppedTables.compactMap { dropped in
            let name = dropped.table.name
            let isDeclared = declarations.covers {
                if case .dropsTable(let table) = $0 { table.foldedASCII == name.foldedASCII } else { false }
            }
            guard !isDeclared else { return nil }
            let rows = dropped.rowCount
            return StepFinding(
                Finding(
                    .tableDropped, rows == 0 ? .warning : .error,
                    "table \(name) is gone"
                        + (rows == 0 ? "; it had no rows" : ", with its \(counted(rows, "row"))"),
                    help: remedy(
                        "its rows were meant to go", "drops table \(quotedIfNeeded(name))",
                        else:
                            "If it was only renamed, write: renames table \(quotedIfNeeded(name)) to NEW_NAME"
                    ),
                    place: step.statement(at: step.lineage.droppedObjects[.init(.table, name)]).map {
                        .init($0)
                    },
                    table: name, evidence: Evidence(rowCount: rows)))
        }
    }
}
