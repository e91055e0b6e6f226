import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

extension SearchedIndexes.Loss {
    package func finding(_ migration: Migration) -> StepFinding {
        let (name, expected) = (table.foldedASCII, expected)
        let place = migration.statements.last { statement in
            guard case .createVirtualTable(let made, _) = statement.action else { return false }
            return made.folded == name
        }
        let help =
            "It now keeps its own text, and starts empty. Have it read the table again, with content= as before, or copy "
            + "the text into it at the end of the migration" + (remedy.map { ":\n  \($0)" } ?? ".")
        return StepFinding(
            Finding(
                .searchIndexStale,
                "full-text index \(table) has \(count) of the \(expected) \(expected == 1 ? "entry" : "entries") that searches used before",
                help: help, place: place.map { .init($0) }, table: table,
                evidence: Evidence(rowCount: expected - count)),
            stands: { end, lastName in
                guard let name = lastName(name), let count = end.searchEntries[name.foldedASCII] else {
                    return false
                }
                return count < expected
            })
    }
}
