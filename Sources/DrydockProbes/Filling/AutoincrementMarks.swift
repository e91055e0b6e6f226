import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// The highest ids that AUTOINCREMENT tables ever gave out (https://www.sqlite.org/autoinc.html).
struct AutoincrementMarks {
    private let schema: Schema
    private let connection: any Connection

    /// How many rows seem to have been deleted at the end of a table.
    private static let deleted = 4

    init(_ schema: Schema, on connection: any Connection) {
        (self.schema, self.connection) = (schema, connection)
    }

    /// Puts the marks of tables above their rows, unless they are already.
    /// - Parameter names: the tables by folded name, also without AUTOINCREMENT.
    func raise(_ names: Set<String>) throws {
        for name in names.sorted() {
            guard let table = schema.tables[name], table.primaryKey?.isAutoincrement == true else { continue }
            let rows = "main.\(quotedName(table.name))"
            try connection.execute(
                """
                UPDATE main.sqlite_sequence SET seq = seq + \(Self.deleted)
                WHERE name = \(quotedText(table.name)) AND seq = (SELECT max(rowid) FROM \(rows))
                """)
        }
    }
}
