import DatabaseEngine

/// A dump of a database as SQL text, in the form of the `sqlite3` shell's `.dump`.
///
/// For a database without virtual tables, generated columns or NUL characters in its text.
struct DatabaseDump {
    static func text(of connection: any Connection) throws -> String {
        var lines = ["PRAGMA foreign_keys=OFF;", "BEGIN TRANSACTION;"]
        let tables = try connection.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid"
        ) { ($0.string(0), $0.string(1)) }
        for (name, sql) in tables {
            lines.append("\(sql);")
            lines += try inserts(of: name, connection)
        }
        // SQLite creates this table itself, with the first AUTOINCREMENT table.
        if try connection.firstRow(
            "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'", [], { _ in true }) != nil
        {
            lines.append("DELETE FROM sqlite_sequence;")
            lines += try inserts(of: "sqlite_sequence", connection)
        }
        lines += try connection.rows(
            "SELECT sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL ORDER BY type, rowid"
        ) { "\($0.string(0));" }
        lines.append("COMMIT;")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func inserts(of table: String, _ connection: any Connection) throws -> [String] {
        let quotedTable = quoted(table)
        let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", [SQLValue(table)]) {
            $0.string(0)
        }
        let values = columns.map { "quote(\(quoted($0)))" }.joined(separator: " || ',' || ")
        return try connection.rows("SELECT \(values) FROM \(quotedTable)") {
            "INSERT INTO \(quotedTable) VALUES(\($0.string(0)));"
        }
    }

    private static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
