import DatabaseEngine
import DrydockFindings
import DrydockState

/// The columns of a table without a key whose values were found beside their rows.
///
/// Such rows are known by all their values, so these must be there together: each column by itself could have changed places
/// with that of a row that looks alike.
struct JointAccount {
    let connection: any Connection
    let table: Catalog.Table
    /// The table that has the rows after the step, and the columns of both that are compared.
    let successor: Catalog.Table
    let pairs: [TableMatch.ColumnPair]
    let allowance: Allowance

    private var found: [(column: Catalog.Column, value: String, join: String)] = []

    init(
        connection: any Connection, table: Catalog.Table, successor: Catalog.Table,
        pairs: [TableMatch.ColumnPair], allowance: Allowance
    ) {
        (self.connection, self.table, self.successor) = (connection, table, successor)
        (self.pairs, self.allowance) = (pairs, allowance)
    }

    mutating func add(_ column: Catalog.Column, _ place: ColumnAccount.Place) {
        guard let joined = place.joined else { return }
        found.append((column, joined.value, joined.join))
    }

    /// Whether the values of one more column are in the same rows as those of the others.
    func agrees(_ column: Catalog.Column, _ place: ColumnAccount.Place) throws -> Bool {
        guard let joined = place.joined, !found.isEmpty else { return true }
        // A NULL is not owed, and may have been filled: rows are compared by the values that they have.
        let isKnown = found.map { "\(quotedName($0.column.name)) IS NOT NULL" }
        let isOwed = "\(quotedName(column.name)) IS NOT NULL AND NOT \(allowance.condition)"
        var patterns: [[Bool]] = []
        try connection.forEachRow(
            "SELECT DISTINCT \(isKnown.joined(separator: ", ")) FROM \(table.earlier) WHERE \(isOwed)"
        ) { row in
            patterns.append(found.indices.map { row.integer($0) == 1 })
        }
        return try patterns.allSatisfy { pattern in
            let others = found.indices.filter { pattern[$0] }.map { found[$0] }
            let columns = pairs.map(\.before) + others.map(\.column) + [column]
            let isOwed = ([isOwed] + found.indices.filter { pattern[$0] }.map { isKnown[$0] })
            let values =
                pairs.map { "n.\(quotedName($0.after.name))" } + others.map(\.value) + [joined.value]
            let joins = (others.map(\.join) + [joined.join]).joined()
            let pool = Pool(
                owed: [
                    .init(
                        columns.map { quotedName($0.name) }, from: table.earlier,
                        where: isOwed.joined(separator: " AND "))
                ], paid: [.init(values, from: "\(successor.later) AS n\(joins)")])
            return try pool.missing(connection) == 0
        }
    }
}
