import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// The rows that a constraint refused: their number, and a few of them.
struct RefusedRows {
    var count: Int
    /// The rows with their keys and the relevant values.
    var rows: [Evidence.Row]
    /// The table in which people find the rows.
    var table: String

    /// `row 2 of person`, `rows 1, 2 and 5 more of person`, or without rowids `2 rows of person (code = 'a')`.
    var name: String {
        let ids = rows.compactMap { row -> String? in
            row.key.count == 1 && row.key[0].column == "rowid" ? row.key[0].value.literal : nil
        }
        guard !ids.isEmpty, ids.count == rows.count else {
            let key =
                rows.first?.key.map { "\($0.column) = \($0.value.literal)" }.joined(separator: ", ") ?? ""
            return "\(counted(count, "row")) of \(table)"
                + (key.isEmpty ? "" : " (\(count > 1 ? "such as " : "")\(key))")
        }
        if count == 1 { return "row \(ids[0]) of \(table)" }
        let more = count - ids.count
        let list =
            more > 0
            ? ids.joined(separator: ", ") + " and \(more) more"
            : ids.dropLast().joined(separator: ", ") + " and \(ids[ids.count - 1])"
        return "rows \(list) of \(table)"
    }

    /// Returns text such as `: row 2 of person has age = 'x'`.
    private func detail(_ shown: KeyPath<Evidence.Sample, String>) -> String {
        let cells = rows.first?.values ?? []
        let what = cells.map { "\($0.column) = \($0.value[keyPath: shown])" }.joined(separator: ", ")
        let isSame = rows.allSatisfy { $0.values?.map(\.value) == cells.map(\.value) } && count == rows.count
        guard isSame else { return ": \(name), the first with \(what)" }
        return ": \(name) \(count == 1 ? "has" : "have") \(what)"
    }

    func explanation(help: some HelpConvertible) -> FailureExplanation {
        FailureExplanation(
            detail: detail(\.literal), redactedDetail: detail(\.shape), help: help, table: table,
            evidence: Evidence(rowCount: count, rows: rows))
    }
}

/// A source of rows: a table, or a replacement for one.
struct RowSource {
    let connection: any Connection
    /// The source as SQL for FROM.
    var from: String
    /// The key by which people identify the rows: column and SQL expression.
    var key: [(name: String, expression: String)]
    var table: String
    let sample: (SQLValue) -> Evidence.Sample

    /// Creates the source for a table of the database.
    init(_ table: Table, _ scene: FailureScene) {
        connection = scene.connection
        from = "main.\(quotedName(table.name))"
        self.table = table.name
        sample = scene.sample
        key =
            table.rowidName.map { [("rowid", $0)] }
            ?? table.effectivePrimaryKey.map { ($0.column, quotedName($0.column)) }
    }

    init(
        connection: any Connection, from: String, key: [(name: String, expression: String)], table: String,
        sample: @escaping (SQLValue) -> Evidence.Sample
    ) {
        (self.connection, self.from, self.key, self.table, self.sample) = (
            connection, from, key, table, sample
        )
    }

    /// Returns the rows that match a condition, with the values of some expressions.
    /// - Returns: nil where there are none.
    func rows(where condition: String, showing shown: [(name: String, expression: String)]) throws
        -> RefusedRows?
    {
        let count = try connection.firstRow("SELECT count(*) FROM \(from) WHERE \(condition)") {
            Int($0.integer(0))
        }
        guard let count, count > 0 else { return nil }
        let columns = (key + shown).map(\.expression).joined(separator: ", ")
        let rows = try connection.rows(
            "SELECT \(columns) FROM \(from) WHERE \(condition) LIMIT \(Evidence.rowLimit)"
        ) { row in
            func cells(_ names: [(name: String, expression: String)], from start: Int) -> [Evidence.Cell] {
                names.enumerated().map { .init(column: $1.name, value: sample(row.value(start + $0))) }
            }
            return Evidence.Row(key: cells(key, from: 0), values: cells(shown, from: key.count))
        }
        return RefusedRows(count: count, rows: rows, table: table)
    }
}
