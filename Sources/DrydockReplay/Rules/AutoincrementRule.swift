import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `autoincrement-reset`: the next id that an AUTOINCREMENT table would assign was assigned before
/// (https://www.sqlite.org/autoinc.html). A rebuild that ignores `sqlite_sequence` causes this.
struct AutoincrementRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        step.conservation.kept.compactMap { kept in
            let (name, now) = (kept.match.before.name, kept.match.after.name)
            guard kept.match.before.isAutoincrement, let before = step.before.highestIDs[name.foldedASCII],
                let after = step.after.highestIDs[now.foldedASCII], after < before
            else { return nil }
            let isDeclared = declarations.covers {
                if case .rewrites("sqlite_sequence", _) = $0 { true } else { false }
            }
            guard !isDeclared else { return nil }
            return StepFinding(
                Finding(
                    .autoincrementReset,
                    "the next id of \(name) falls from \(before + 1) to \(after + 1): "
                        + "ids of deleted rows would be given out again",
                    help: help(kept.match, step), place: place(kept.match, step), table: name),
                stands: { end, lastName in
                    guard let last = lastName(now), end.catalog.tables[last] != nil else { return false }
                    return (end.highestIDs[last] ?? 0) < before
                })
        }
    }

    private func help(_ match: TableMatch, _ step: StepView) -> Help {
        let permission: Help =
            "If ids may be given out again, declare it:\n\(declaration: "rewrites sqlite_sequence")"
        guard match.after.isAutoincrement else {
            return
                "The table is no longer AUTOINCREMENT. Declare it AUTOINCREMENT again, and copy its row of sqlite_sequence.\n"
                + permission
        }
        guard let incarnation = step.lineage[match.after.name], incarnation.createdBy != nil else {
            return "Leave the table's row in sqlite_sequence as it is.\n" + permission
        }
        let (old, new) = (quotedText(match.before.name), quotedText(incarnation.firstTableName))
        return """
            When the rows are copied and before the old table is dropped, take its mark along:
              DELETE FROM sqlite_sequence WHERE name = \(new);
              INSERT INTO sqlite_sequence(name, seq) SELECT \(new), seq FROM sqlite_sequence WHERE name = \(old);
            \(permission)
            """
    }

    /// Returns the statement that created the table again, or the last that changed the marks.
    private func place(_ match: TableMatch, _ step: StepView) -> Finding.Place? {
        let maker = step.statement(at: step.lineage[match.after.name]?.createdBy)
        let toucher = step.migration.statements.last { statement in
            statement.tokens.contains { $0.name(in: statement.source)?.foldedASCII == "sqlite_sequence" }
        }
        return (maker ?? toucher).map { .init($0) }
    }
}
