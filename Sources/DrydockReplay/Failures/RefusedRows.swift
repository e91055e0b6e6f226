import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// The rows that a constraint refused: their number, and a few of them.
package struct RefusedRows {
    package var count: Int
    /// The rows with their keys and the relevant values.
    package var rows: [Evidence.Row]
    /// The table in which people find the rows.
    package var table: String
    /// Whether the rows have the shown values there; otherwise a statement gives them to the rows.
    var areOwn = true
    /// Where a copy puts the shown values, as `, which the copy puts into mail`.
    package var note = ""

    /// `row 2 of person`, `rows 'a', 'b' and 5 more of person`, or by a key of several columns
    /// `2 rows of person (such as code = 'a', part = 1)`. A key that is not a number counts as a value.
    private var name: Sentence {
        let plain = "\(counted(count, "row")) of \(table)"
        let isData = rows.flatMap(\.key).contains { $0.value.storageClass != "integer" }
        return Sentence(name(plain), redacted: isData ? plain : nil)
    }

    private func name(_ plain: String) -> String {
        let keys = rows.map(\.key)
        guard let first = keys.first, !first.isEmpty else { return plain }
        guard first.count == 1 else {
            let key = first.map { "\($0.column) = \($0.value.literal)" }.joined(separator: ", ")
            return "\(plain) (\(count > 1 ? "such as " : "")\(key))"
        }
        let ids = keys.compactMap(\.first?.value.literal)
        if count == 1 { return "row \(ids[0]) of \(table)" }
        let more = count - ids.count
        let list =
            more > 0
            ? ids.joined(separator: ", ") + " and \(more) more"
            : ids.dropLast().joined(separator: ", ") + " and \(ids[ids.count - 1])"
        return "rows \(list) of \(table)"
    }

    /// Returns text such as `: row 2 of person has age = 'x'`.
    private var detail: Sentence {
        let cells = rows.first?.values ?? []
        let what =
            cells.map { Sentence("\($0.column) = \($0.value.sentence)") }.joined(separator: ", ")
            + Sentence(note)
        let isSame = rows.allSatisfy { $0.values?.map(\.value) == cells.map(\.value) } && count == rows.count
        guard isSame else { return ": \(name), the first with \(what)" }
        let verb = areOwn ? (count == 1 ? "has" : "have") : (count == 1 ? "gets" : "get")
        return ": \(name) \(verb) \(what)"
    }

    package func explanation(help: some HelpConvertible) -> FailureExplanation {
        FailureExplanation(
            detail: detail, help: help, table: table, evidence: Evidence(rowCount: count, rows: rows))
    }
}

/// A column of a row: its name, and the SQL that gives its value.
typealias RowTerm = (name: String, expression: String)

extension Table {
    /// What people identify a row by: the primary key, otherwise the rowid.
    var rowKey: [RowTerm] {
        let key = effectivePrimaryKey.map { (name: $0.column, expression: quotedName($0.column)) }
        return key.isEmpty ? rowidName.map { [("rowid", $0)] } ?? [] : key
    }
}

/// A source of rows: a table, or a replacement for one.
struct RowSource {
    let connection: any Connection
    /// The source as SQL for FROM.
    var from: String
    /// The key by which people identify the rows.
    var key: [RowTerm]
    var table: String
    let sample: (SQLValue) -> Evidence.Sample

    /// Creates the source for a table of the database.
    init(_ table: Table, _ fixture: FailureFixture) {
        connection = fixture.connection
        from = "main.\(quotedName(table.name))"
        self.table = table.name
        sample = fixture.sample
        key = table.rowKey
    }

    init(
        connection: any Connection, from: String, key: [RowTerm], table: String,
        sample: @escaping (SQLValue) -> Evidence.Sample
    ) {
        (self.connection, self.from, self.key, self.table, self.sample) = (
            connection, from, key, table, sample
        )
    }

    /// Returns the rows that match a condition, with the values of some expressions.
    /// - Returns: nil where there are none.
    func rows(where condition: String, showing shown: [RowTerm]) throws
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
            func cells(_ names: [RowTerm], from start: Int) -> [Evidence.Cell] {
                names.enumerated().map { .init(column: $1.name, value: sample(row.value(start + $0))) }
            }
            return Evidence.Row(key: cells(key, from: 0), values: cells(shown, from: key.count))
        }
        return RefusedRows(count: count, rows: rows, table: table)
    }
}
