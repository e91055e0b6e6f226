import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteFile

/// Queries of a table's rows in the order of their rowids, in batches, as long as there is time.
struct RowidBatches {
    let view: HealthView
    let table: Catalog.Table
    /// What the outer query selects after the rowid; `row` is the row.
    let columns: [String]
    /// What `row` has in addition to its own columns and ``rowid``.
    var extra: [String] = []

    /// The name of the rowid in `row`; no table has such a column.
    static let rowid = "\"drydock rowid\""

    private static let first = 200

    /// - Parameter key: the key of the last row that was checked.
    /// - Returns: whether the end of the table was reached.
    func run(
        _ key: inout TreeCheck.Place?, while goesOn: () -> Bool,
        _ body: (_ rowid: Int64, any PreparedStatement) throws -> Void
    ) throws -> Bool {
        guard let name = table.rowidName else { return true }
        var limit = Self.first
        while true {
            let start = ContinuousClock.now
            var (count, last): (Int, Int64?) = (0, nil)
            try view.connection.forEachRow(sql(name, behind: key, limit)) { row in
                count += 1
                last = row.integer(0)
                try body(row.integer(0), row)
            }
            if let last { key = .rowid(last) }
            guard count == limit else { return true }
            guard goesOn() else { return false }
            if ContinuousClock.now - start < .milliseconds(5) { limit *= 2 }
        }
    }

    /// The query for one row, to see whether it compiles.
    var preview: String { sql(table.rowidName ?? "rowid", behind: nil, 1) }

    private func sql(_ name: String, behind key: TreeCheck.Place?, _ limit: Int) -> String {
        let inner = (["\(name) AS \(Self.rowid)", "*"] + extra).joined(separator: ", ")
        let condition: String
        switch key {
        case .rowid(let rowid): condition = "WHERE \(name) > \(rowid)"
        case .key, nil: condition = ""
        }
        return """
            SELECT \(([Self.rowid] + columns).joined(separator: ", ")) FROM (SELECT \(inner) \
            FROM main.\(quotedName(table.name)) NOT INDEXED \(condition) ORDER BY \(name) LIMIT \(limit)) AS "row"
            """
    }
}
