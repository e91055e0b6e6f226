import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// A table whose definition is not understood, as SQLite lists its columns.
enum ListedTable {
    /// Returns the table; nil if SQLite lists no columns.
    static func table(_ name: String, on connection: any Connection) throws -> Table? {
        var key: [(position: Int64, name: String)] = []
        let columns = try connection.rows("PRAGMA main.table_xinfo(\(quotedName(name)))") { row in
            if row.integer(5) > 0 { key.append((row.integer(5), row.string(1))) }
            var column = Column(name: row.string(1), declaredType: row.string(2))
            if row.integer(3) != 0 { column.notNull = Column.NotNull() }
            return (column: column, isHidden: row.integer(6) != 0)
        }.filter { !$0.isHidden }.map(\.column)
        guard !columns.isEmpty else { return nil }
        var table = Table(name: name, columns: columns)
        table.isWithoutRowid = try isWithoutRowid(name, on: connection)
        if !key.isEmpty {
            table.primaryKey = PrimaryKey(
                terms: key.sorted { $0.position < $1.position }.map { KeyTerm(column: $0.name) })
        }
        table.foreignKeys = try foreignKeys(name, on: connection)
        return table
    }

    private static func isWithoutRowid(_ name: String, on connection: any Connection) throws -> Bool {
        do {
            _ = try connection.prepare("SELECT rowid FROM main.\(quotedName(name))")
            return false
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            return true
        }
    }

    private static func foreignKeys(_ name: String, on connection: any Connection) throws -> [ForeignKey] {
        var keys: [Int64: ForeignKey] = [:]
        try connection.forEachRow("PRAGMA main.foreign_key_list(\(quotedName(name)))") { row in
            var key = keys[row.integer(0)] ?? ForeignKey(columns: [], parent: row.string(2))
            key.columns.append(row.string(3))
            if let parent = row.optionalString(4) { key.parentColumns = (key.parentColumns ?? []) + [parent] }
            keys[row.integer(0)] = key
        }
        return keys.sorted { $0.key < $1.key }.map(\.value)
    }
}
