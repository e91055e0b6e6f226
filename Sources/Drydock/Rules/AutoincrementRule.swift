import SQLiteSchema

/// `autoincrement-reset`: the next id that an AUTOINCREMENT table would give out was given out before
/// (https://www.sqlite.org/autoinc.html). A rebuild that forgets `sqlite_sequence` does this.
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
            let literal = "'" + now.replacing("'", with: "''") + "'"
            return StepFinding(
                Finding(
                    .autoincrementReset,
                    "the next id of \(name) falls from \(before + 1) to \(after + 1): "
                        + "ids of deleted rows would be given out again",
                    help: """
                        Before the old table is dropped, take its mark along (and insert the row where there is none):
                          UPDATE sqlite_sequence SET seq = \(before) WHERE name = \(literal);
                        If ids may be given out again, write: rewrites sqlite_sequence
                        """,
                    place: step.statement(at: step.lineage[now]?.createdBy).map { .init($0) }, table: name),
                stands: { end in
                    guard end.catalog.table(now) != nil else { return false }
                    return (end.highestIDs[now.foldedASCII] ?? 0) < before
                })
        }
    }
}
