import DrydockState
import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Searches for the values of a dropped column in the tables that a step wrote: a hint for the reader of the finding,
/// not a proof.
struct DroppedValueSearch {
    let connection: any Connection
    let after: Catalog
    let changes: PageChanges?

    private static let valueLimit = 10_000
    private static let columnLimit = 300
    /// The largest number of rows of a table that is searched.
    private static let rowLimit: Int64 = 50_000

    /// Returns the first columns, as TABLE.COLUMN, that have every value. Only for text: equal numbers prove nothing.
    /// A value that another column's affinity has converted, such as '007' to 7, is not the same.
    func columns(holding dropped: Conservation.DroppedColumn) throws -> [String] {
        guard (1...Self.valueLimit).contains(dropped.valueCount) else { return [] }
        let name = quotedName(dropped.column.name)
        let source = "FROM main.\(quotedName(dropped.table.name)) WHERE \(name) IS NOT NULL"
        let telling = try connection.firstRow(
            "SELECT min(typeof(\(name)) = 'text'), max(length(\(name))) \(source)"
        ) { $0.integer(0) == 1 && $0.integer(1) > 1 }
        guard telling == true else { return [] }
        var found: [String] = []
        for (table, column) in try candidates() where found.count < 3 {
            // The plus sign takes the affinity from a column, so that values are compared as they are stored.
            let (new, place) = (
                "+" + quotedName(column), "\(StateInspector.laterSchema).\(quotedName(table))"
            )
            // One value is searched for first: it is usually missing, and this search needs no sorting.
            let isWhole = try connection.firstRow(
                """
                SELECT CASE WHEN EXISTS (SELECT 1 FROM \(place) WHERE \(new) COLLATE BINARY = (SELECT +\(name) \(source) LIMIT 1))
                THEN NOT EXISTS (SELECT 1 \(source) AND +\(name) COLLATE BINARY NOT IN
                    (SELECT \(new) FROM \(place) WHERE \(new) IS NOT NULL)) END
                """
            ) { $0.integer(0) == 1 }
            if isWhole == true { found.append("\(quotedIfNeeded(table)).\(quotedIfNeeded(column))") }
        }
        return found
    }

    private func candidates() throws -> [(table: String, column: String)] {
        let written = after.tables.values.sorted { $0.name < $1.name }.filter { table in
            table.module == nil && changes?.isUntouched(table: table.name, now: table.name) != true
        }
        let small = try written.filter { table in
            let rows =
                "SELECT 1 FROM \(StateInspector.laterSchema).\(quotedName(table.name)) LIMIT \(Self.rowLimit + 1)"
            return try connection.firstRow("SELECT count(*) FROM (\(rows))") {
                $0.integer(0) <= Self.rowLimit
            }
                ?? false
        }
        let columns = small.flatMap { table in table.storedColumns.map { (table.name, $0.name) } }
        return Array(columns.prefix(Self.columnLimit))
    }
}
