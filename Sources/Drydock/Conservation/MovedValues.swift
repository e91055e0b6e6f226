import DatabaseEngine
import SQLiteSchema

/// Looks for the values of a dropped column in the tables that a step wrote: a help to who reads the finding,
/// that proves nothing.
struct MovedValues {
    let connection: any Connection
    let after: Catalog
    let changes: PageChanges?

    private static let valueLimit = 10_000
    private static let columnLimit = 500

    /// The first columns, as TABLE.COLUMN, in which every value is. Only for text: numbers are anywhere.
    func columns(holding dropped: Conservation.DroppedColumn) throws -> [String] {
        guard (1...Self.valueLimit).contains(dropped.valueCount) else { return [] }
        let name = quotedName(dropped.column.name)
        let source = "FROM main.\(quotedName(dropped.table.name)) WHERE \(name) IS NOT NULL"
        let telling = try connection.firstRow(
            "SELECT min(typeof(\(name)) = 'text'), max(length(\(name))) \(source)"
        ) { $0.integer(0) == 1 && $0.integer(1) > 1 }
        guard telling == true else { return [] }
        var found: [String] = []
        for (table, column) in candidates().prefix(Self.columnLimit) where found.count < 3 {
            let isWhole = try connection.firstRow(
                "SELECT NOT EXISTS (SELECT 1 \(source) AND \(name) COLLATE BINARY NOT IN (SELECT \(quotedName(column)) "
                    + "FROM \(TableComparison.afterSchema).\(quotedName(table)) WHERE \(quotedName(column)) IS NOT NULL))"
            ) { $0.integer(0) == 1 }
            if isWhole == true { found.append("\(quotedIfNeeded(table)).\(quotedIfNeeded(column))") }
        }
        return found
    }

    private func candidates() -> [(table: String, column: String)] {
        after.tables.values.sorted { $0.name < $1.name }
            .filter { $0.module == nil && changes?.isUntouched(table: $0.name, now: $0.name) != true }
            .flatMap { table in table.storedColumns.map { (table.name, $0.name) } }
    }
}
