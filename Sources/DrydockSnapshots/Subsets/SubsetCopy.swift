import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Copies the chosen rows into the attached database `subset`, in masked form where columns are masked.
struct SubsetCopy {
    let connection: any Connection
    let source: SubsetSource
    let masks: MaskPlan

    /// Rows that the new database did not take, by the number of the table.
    private(set) var refused: [Int: Int] = [:]
    /// How many rows each table got, by number.
    private(set) var rows: [Int: Int] = [:]

    init(_ connection: any Connection, _ source: SubsetSource, _ masks: MaskPlan) {
        (self.connection, self.source, self.masks) = (connection, source, masks)
    }

    mutating func copy(_ table: SubsetTable) throws {
        var (names, values) = (
            table.columns.map(quotedName), table.columns.map { masks.value(of: $0, in: table) }
        )
        if let rowid = table.rowid {
            names.insert(rowid, at: 0)
            values.insert(masks.rowid(of: table, in: source), at: 0)
        }
        let wanted =
            try connection.firstRow("SELECT count(*) FROM \(table.chosenRows)") { Int($0.integer(0)) } ?? 0
        let target = "\(table.target) (\(names.joined(separator: ", ")))"
        let before = connection.totalChanges
        try connection.execute(
            "INSERT OR IGNORE INTO \(target) SELECT \(values.joined(separator: ", ")) FROM \(table.chosenRows)"
        )
        // The tables of a module count as well.
        let written = table.isVirtual ? wanted : connection.totalChanges - before
        rows[table.number] = written
        if written < wanted { refused[table.number] = wanted - written }
    }

    /// Copies the marks of AUTOINCREMENT. Those of a masked column are of the masked values.
    func copySequences() throws {
        guard source.catalog.hasSequences, source.catalog.tables.values.contains(where: \.isAutoincrement)
        else {
            return
        }
        let masked = source.tables.filter { table in
            table.alias.map { masks.isMasked($0, in: table) } ?? false
        }.map { quotedText($0.name) }
        let kept = "name NOT IN (\(masked.joined(separator: ", ")))"
        try connection.execute(
            """
            DELETE FROM subset.sqlite_sequence WHERE \(kept);
            INSERT INTO subset.sqlite_sequence (name, seq) SELECT name, seq FROM main.sqlite_sequence WHERE \(kept)
            """)
    }

    /// Copies the settings of FTS5 tables, such as the rank function.
    func copySearchSettings() throws {
        let indexes = (source.tables.map(\.name) + source.derived.map(\.name)).compactMap {
            source.schema.virtualTables[$0.foldedASCII]
        }
        for index in indexes where index.module.foldedASCII == "fts5" {
            let name = quotedName(index.name)
            let settings = try connection.rows(
                "SELECT k, v FROM main.\(quotedName(index.name + "_config")) WHERE k <> 'version' ORDER BY k"
            ) { ($0.value(0), $0.value(1)) }
            for (key, value) in settings {
                try connection.execute(
                    "INSERT INTO subset.\(name) (\(name), rank) VALUES (\(key.literal), \(value.literal))")
            }
        }
    }
}
