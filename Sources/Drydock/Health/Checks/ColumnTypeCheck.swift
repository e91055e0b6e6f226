import DatabaseEngine
import SQLiteSchema

/// `column-type`: values that a STRICT table would refuse, such as text in an INTEGER column.
struct ColumnTypeCheck: HealthCheck {
    let text = HealthCheckText(
        "column-type", "a column holds values of another type than it declares",
        why:
            "SQLite keeps what it cannot convert (https://www.sqlite.org/datatype3.html); programs do not expect it."
    )

    let isDeepOnly = true
    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult {
        try parts(view).reduce(into: HealthResult()) { $0 += try check(view, part: $1) }
    }

    func parts(_ view: HealthView) -> [String] {
        view.schema.tables.values.filter { !$0.isStrict }.map(\.name).sorted()
    }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        guard let table = view.schema.table(part) else { return HealthResult() }
        let columns = table.columns.compactMap { column in
            Self.classes(table.affinity(of: column)).map { (column, $0) }
        }
        guard !columns.isEmpty else { return HealthResult() }
        let sums = columns.map { column, classes in
            "coalesce(sum(typeof(\(quotedName(column.name))) NOT IN (\(classes))), 0)"
        }
        let sql = "SELECT \(sums.joined(separator: ", ")) FROM main.\(quotedName(part))"
        let counts =
            try view.connection.firstRow(sql) { row in columns.indices.map { Int(row.integer($0)) } } ?? []
        return HealthResult(
            zip(columns, counts).filter { $1 > 0 }.map { entry, count in
                finding(
                    .warning,
                    "\(counted(count, "value")) of \(part).\(entry.0.name) are not of the type \(entry.0.declaredType)",
                    help:
                        "See them: SELECT * FROM \(quotedIfNeeded(part)) WHERE typeof(\(quotedIfNeeded(entry.0.name)))"
                        + " NOT IN (\(entry.1));",
                    table: part, object: entry.0.name, evidence: Evidence(rowCount: count))
            })
    }

    /// What a STRICT table would take; nil where it would take anything, or where dates are kept as text.
    private static func classes(_ affinity: Affinity) -> String? {
        switch affinity {
        case .integer: "'integer', 'null'"
        case .real: "'real', 'integer', 'null'"
        case .text: "'text', 'null'"
        default: nil
        }
    }
}
