import DrydockState
import DrydockFindings
import DrydockMigrations
import DatabaseEngine

/// Searches for a new column that has a dropped column's value in every row: most likely a rename.
struct EqualColumnSearch {
    let connection: any Connection
    let pair: TableMatch
    let difference: TableDifference

    /// - Parameter only: the only column to look at; nil for all.
    func equalColumn(of column: Catalog.Column, only: Catalog.Column? = nil) throws -> Catalog.Column? {
        let valueCount = try GeneratedComparison(connection: connection, match: pair).valueCount(of: column)
            .values
        let taken = Set(pair.columns.map { $0.after.name.foldedASCII })
        // Lost rows are reported elsewhere; some rows must remain for a comparison to prove anything.
        let gone = difference.lost.count + difference.declaredLost
        guard valueCount > gone else { return nil }
        let isKeyed = pair.before.primaryKey.allSatisfy { key in
            pair.columns.contains { $0.before.name == key.name }
        }
        let known = isKeyed && !pair.before.primaryKey.isEmpty
        for candidate in pair.after.storedColumns
        where !taken.contains(candidate.name.foldedASCII) && candidate.name == only?.name ?? candidate.name {
            var trial = pair
            // Rows without a key are identified by all their values.
            trial.columns = known ? pair.columns.filter { $0.before.keyPosition > 0 } : pair.columns
            let place = trial.columns.count
            trial.columns.append(.init(before: column, after: candidate))
            let found = try TableComparison(
                connection: connection, match: trial, rewritable: [], deletable: []
            ).run()
            if found.changed[place]?.overwrittenCount ?? 0 == 0, found.lost.count == (known ? gone : 0) {
                return candidate
            }
        }
        return nil
    }
}
