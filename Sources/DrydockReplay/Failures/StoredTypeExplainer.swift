import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Explains "cannot store TEXT value in INTEGER column t.a" of a STRICT table, and "datatype mismatch" of an INTEGER
/// PRIMARY KEY: which rows have a value that does not convert.
struct StoredTypeExplainer: FailureExplainer {
    func explanation(of fixture: FailureFixture) throws -> FailureExplanation? {
        let message = fixture.error.message
        let isKey = SQLiteMessage.datatypeMismatch.matches(message)
        guard isKey || SQLiteMessage.cannotStore.matches(message), let rows = try fixture.uncheckedRows()
        else {
            return nil
        }
        let columns =
            isKey
            ? [rows.table.rowidAlias].compactMap(\.self)
            : rows.table.columns.filter { message.hasSuffix(" column \(rows.table.name).\($0.name)") }
        for column in columns {
            guard let type = Self.storageClass(column) else { continue }
            let name = quotedName(column.name)
            guard
                let found = try rows.rows(
                    where: "typeof(\(name)) NOT IN ('\(type)', 'null')", showing: [column.name])
            else { continue }
            let remedy: Help = isKey ? Help(keyHelp(column, rows)) : Help(help(column, rows, type))
            return found.explanation(help: rows.crossing(of: [column.name], fixture)?.help ?? remedy)
        }
        return nil
    }

    /// Returns what SQLite says of the columns of a STRICT table that get values which do not convert.
    static func messages(_ rows: UncheckedRows) throws -> [String] {
        guard rows.table.isStrict else { return [] }
        return try rows.table.columns.compactMap { column in
            guard let type = storageClass(column) else { return nil }
            let name = quotedName(column.name)
            let found = try rows.source.connection.firstRow(
                "SELECT upper(typeof(\(name))) FROM \(rows.source.from) WHERE typeof(\(name)) NOT IN ('\(type)', 'null')"
            ) { $0.string(0) }
            return found.map {
                SQLiteMessage.cannotStore.text(
                    "\($0) value in \(column.declaredType) column \(rows.table.name).\(column.name)")
            }
        }
    }

    private static func storageClass(_ column: Column) -> String? {
        switch column.declaredType.foldedASCII {
        case "int", "integer": "integer"
        case "real": "real"
        case "text": "text"
        case "blob": "blob"
        default: nil
        }
    }

    private func help(_ column: Column, _ rows: UncheckedRows, _ type: String) -> String {
        let keep = "Declare \(column.name) as ANY, which keeps every value unchanged"
        guard rows.copiedFrom != nil else { return keep + ", or write a value of the type." }
        return keep
            + ", or, in the SELECT, copy such values into a TEXT or BLOB column of their own and write a value of the declared type here."
    }

    private func keyHelp(_ column: Column, _ rows: UncheckedRows) -> String {
        "INTEGER PRIMARY KEY takes only integers. Keep the type that \(column.name) had"
            + (rows.copiedFrom.map { " in \($0.name)" } ?? "")
            + ", or give the new table an integer key of its own and copy the old one into another column."
    }
}
