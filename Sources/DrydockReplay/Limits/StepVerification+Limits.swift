import DatabaseEngine
import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockState

/// What a step leaves unchecked.
extension StepVerification {
    package func notChecked(_ conservation: Conservation) -> [NotChecked] {
        conservation.notCompared.map { match, error in
            let (table, message) = (match.before.name, error.message)
            return NotChecked(
                .rowsLost,
                error.isOverLimit
                    ? .tableOverLimit(table, message: message) : .unreadableTable(table, message: message))
        } + conservation.unsettled.map { NotChecked(.valuesChanged, .undecided($0.reason)) }
    }

    /// Returns an error for each table whose rows a limit kept from being compared: rows that are gone would not have
    /// been seen, and another run can see them.
    package func limited(_ conservation: Conservation) -> [StepFinding] {
        conservation.notCompared.filter(\.error.isOverLimit).map { match, error in
            let table = match.before.name
            return StepFinding(
                Finding(
                    .nothingVerified, "the rows of \(table) were not compared: \(error.message)",
                    help: error.isOutOfMemory
                        ? "Nothing was proved for this table. Give --memory more."
                        : "Nothing was proved for this table: SQLite itself accepts no row or value that is longer.",
                    table: table, tags: [.notChecked]))
        }
    }

    /// Returns the declarations about tables that were not compared whole: nothing shows that they are not needed.
    package func undecided(_ conservation: Conservation) -> Set<Declaration> {
        let matches = conservation.notCompared.map(\.match) + conservation.unsettled.map(\.match)
        guard !matches.isEmpty else { return [] }
        return Set(declarations.filter { $0.kind.concerns(matches) })
    }
}

extension Declaration.Kind {
    /// Whether the rows of one of these tables may need the declaration.
    fileprivate func concerns(_ matches: [TableMatch]) -> Bool {
        switch self {
        case .dropsTable(let table), .dropsColumn(let table, _), .renamesColumn(let table, _, _),
            .rewrites(let table, _), .deletes(let table, _), .inserts(let table),
            .dropsConstraint(_, let table):
            // The marks of every AUTOINCREMENT table are in one.
            table.foldedASCII == "sqlite_sequence" || matches.contains { $0.isCalled(table) }
        case .renamesTable(let from, let to): matches.contains { $0.isCalled(from) || $0.isCalled(to) }
        case .dropsObject, .preserves, .foreignKeysImmediate, .ignores: false
        }
    }
}
