import DatabaseEngine
import DrydockFindings
import DrydockState

/// The columns whose values were found beside their rows, in a table of which no key identifies the rows.
///
/// Such rows are known by all their values, so these must be there together: each column by itself could have changed places
/// with that of a row that looks alike, or two could have been found in one cell.
struct JointAccount {
    let connection: any Connection
    let table: Catalog.Table
    /// The table that has the rows after the step, and the columns of both that are compared.
    let successor: Catalog.Table
    let pairs: [TableMatch.ColumnPair]
    let identity: RowIdentity
    let allowance: Allowance

    /// A value of a row after the step, and the columns that it pays for.
    private struct Cell {
        var path: String
        var value: String
        var join: String
        var columns: [Catalog.Column]

        private var names: [String] { columns.map { quotedName($0.name) } }

        /// The value that is owed: that of the one column which has any.
        var owed: String { names.count == 1 ? names[0] : "coalesce(\(names.joined(separator: ", ")))" }

        /// True of a row of which two columns have different values.
        var isTorn: String {
            let others = names.dropFirst().map { name in
                "\(name) IS NOT NULL AND (+\(name) COLLATE BINARY <> +\(owed) OR typeof(\(name)) <> typeof(\(owed)))"
            }
            return others.isEmpty ? "0" : others.map { "(\($0))" }.joined(separator: " OR ")
        }
    }

    private var cells: [Cell] = []

    init(
        connection: any Connection, table: Catalog.Table, successor: Catalog.Table,
        pairs: [TableMatch.ColumnPair], identity: RowIdentity, allowance: Allowance
    ) {
        (self.connection, self.table, self.successor) = (connection, table, successor)
        (self.pairs, self.identity, self.allowance) = (pairs, identity, allowance)
    }

    mutating func add(_ column: Catalog.Column, _ place: ColumnAccount.Place) {
        guard identity.key == nil, let joined = place.joined else { return }
        if let index = cells.firstIndex(where: { $0.path == place.path }) {
            cells[index].columns.append(column)
            return
        }
        let own = pairs.filter { successor.path(of: $0.after.name) == place.path }.map(\.before)
        cells.append(
            Cell(path: place.path, value: joined.value, join: joined.join, columns: own + [column]))
    }

    /// Whether the values of one more column are in the same rows as those of the others.
    func agrees(_ column: Catalog.Column, _ place: ColumnAccount.Place) throws -> Bool {
        var all = self
        all.add(column, place)
        guard identity.key == nil, place.joined != nil,
            all.cells.count > 1 || all.cells.contains(where: { $0.columns.count > 1 })
        else { return true }
        return try all.isWhole()
    }

    private var isOwed: String { "NOT \(allowance.condition)" }

    private func isWhole() throws -> Bool {
        let isTorn = cells.map(\.isTorn).joined(separator: " OR ")
        guard
            try connection.count(
                "SELECT EXISTS (SELECT 1 FROM \(table.earlier) WHERE \(isOwed) AND (\(isTorn)))") == 0
        else { return false }
        // A NULL is not owed, and statements may have put one value in the place of all.
        return try isWhole(cells.map(\.owed)) || isWhole(cells.map(filled))
    }

    private func isWhole(_ owed: [String]) throws -> Bool {
        let known = identity.values.filter { value in
            !cells.contains { $0.path == successor.path(of: value.column) }
        }
        let pool = Pool(
            owed: [.init(known.map(\.owed) + owed, from: table.earlier, where: isOwed)],
            paid: [.init(known.map(\.paid) + cells.map(\.value), from: source)])
        return try pool.missing(connection) == 0
    }

    private var source: String { "\(successor.later) AS n\(cells.map(\.join).joined())" }

    /// Returns the value that is owed, and in place of NULL the only one of which there is more than before.
    private func filled(_ cell: Cell) -> String {
        """
        coalesce(\(cell.owed), (SELECT max(v) FROM (SELECT v FROM (
            SELECT 1 AS w, +\(cell.owed) COLLATE BINARY AS v, typeof(\(cell.owed)) AS t FROM \(table.earlier) WHERE \(isOwed)
            UNION ALL SELECT -1, +\(cell.value) COLLATE BINARY, typeof(\(cell.value)) FROM \(source))
        WHERE v IS NOT NULL GROUP BY v, t HAVING sum(w) < 0) HAVING count(*) = 1))
        """
    }
}

extension Catalog.Table {
    /// Returns the name of a column with the table's, as TABLE.COLUMN.
    func path(of column: String) -> String { "\(quotedIfNeeded(name)).\(quotedIfNeeded(column))" }
}
