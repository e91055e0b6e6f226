import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// Finds masked values that a column without a mask has as well, where they can be read. Texts are compared as a whole, so a
/// name within a longer text is not found.
struct MaskGaps {
    let connection: any Connection
    let source: SubsetSource
    let plan: MaskPlan

    /// Shorter texts, such as codes and initials, are the same by chance.
    private static let shortest = 4
    private static let hidden = "temp.drydock_hidden"

    /// Returns a sentence for each column that shows what is masked elsewhere.
    func notes() throws -> [String] {
        guard !plan.isEmpty else { return [] }
        try connection.execute(
            "CREATE TABLE \(Self.hidden) (value TEXT PRIMARY KEY, place INTEGER NOT NULL) WITHOUT ROWID")
        defer { try? connection.execute("DROP TABLE \(Self.hidden)") }
        let places = try collect()
        var notes: [String] = []
        for (table, column, place) in columns
        where plan.styles[place] == nil && !plan.allowed.contains(place) {
            let value = "c.\(quotedName(column))"
            try connection.forEachRow(
                """
                SELECT h.place, count(*) FROM \(table.target) AS c CROSS JOIN \(Self.hidden) AS h
                ON h.value = \(value) COLLATE BINARY WHERE typeof(\(value)) = 'text' GROUP BY h.place ORDER BY h.place
                """
            ) { row in
                let count = counted(Int(row.integer(1)), "row")
                notes.append(
                    "\(plan.name(of: place)) is not masked, and in \(count) it has a value that is masked in "
                        + plan.name(of: places[Int(row.integer(0))]))
            }
        }
        return notes
    }

    /// Notes the texts that the masks hide, each with the first column that has it.
    private func collect() throws -> [MaskPlan.Place] {
        var places: [MaskPlan.Place] = []
        for (table, column, place) in columns {
            // A CHECK names these, so they hide nothing.
            switch plan.styles[place] {
            case nil, .among, .within: continue
            case .form, .ordered: break
            }
            let value = "c.\(quotedName(column))"
            try connection.execute(
                """
                INSERT OR IGNORE INTO \(Self.hidden) SELECT \(value), \(places.count) FROM \(table.chosenRows)
                WHERE typeof(\(value)) = 'text' AND length(\(value)) >= \(Self.shortest)
                """)
            places.append(place)
        }
        return places
    }

    private var columns: [(table: SubsetTable, column: String, place: MaskPlan.Place)] {
        source.tables.flatMap { table in
            table.maskable.map { (table, $0, .init(table: table.folded, column: $0.foldedASCII)) }
        }
    }
}
