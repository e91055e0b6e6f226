import DatabaseEngine
import DrydockFindings
import DrydockProbes
import DrydockReplay
import DrydockState
import SQLiteSchema

/// The highest ids that AUTOINCREMENT tables ever gave out (https://www.sqlite.org/autoinc.html).
struct AutoincrementMarks {
    let schema: Schema

    /// How many rows seem to have been deleted at the end of a table.
    private static let deleted: Int64 = 4

    /// Puts the marks of tables that have had rows above these, unless they are already.
    /// - Parameter excluded: the folded names of tables that stay as they are.
    func raise(except excluded: Set<String>, on connection: any Connection) throws {
        for (name, table) in schema.tables.sorted(by: { $0.key < $1.key }) where !excluded.contains(name) {
            guard table.primaryKey?.isAutoincrement == true else { continue }
            try connection.execute(
                """
                UPDATE main.sqlite_sequence SET seq = seq + \(Self.deleted)
                WHERE name = \(quotedText(table.name)) AND seq <= \(Int64.max - Self.deleted)
                AND seq = (SELECT max(rowid) FROM main.\(quotedName(table.name)))
                """)
        }
    }
}

extension DatabaseState {
    /// Returns the ids that AUTOINCREMENT tables gave last, as rows that come before theirs.
    /// - Parameter names: the tables by folded name.
    package func marks(of names: some Sequence<String>) -> [GeneratedRow] {
        names.compactMap { name in
            guard let table = catalog.tables[name], table.isAutoincrement, let mark = highestIDs[name] else {
                return nil
            }
            return GeneratedRow(
                table: "sqlite_sequence", columns: ["name", "seq"],
                values: [.text(catalog.encoding.encode(table.name)), .integer(mark)])
        }
    }
}
