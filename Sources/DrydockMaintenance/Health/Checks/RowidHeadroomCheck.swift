import DrydockFindings
import DrydockState
import DatabaseEngine

/// The check `rowid-headroom`: ids run out.
///
/// "If the table has previously held a row with the largest possible ROWID, then new INSERTs are not
/// allowed" with AUTOINCREMENT; without it ids are then picked at random
/// (https://www.sqlite.org/autoinc.html).
struct RowidHeadroomCheck: HealthCheck {
    let text = HealthCheckText(
        .rowidHeadroom, "a table's ids are close to the largest possible id",
        why:
            "With AUTOINCREMENT every INSERT fails once it is reached; without it, SQLite tries ids at random.",
        threshold: HealthThreshold(warning: "0:50", critical: "0:90"),
        measured: "the highest id in percent of 9223372036854775807")

    func check(_ view: HealthView) throws -> HealthResult {
        var marks: [String: Int64] = [:]
        if view.catalog.hasSequences {
            try view.connection.forEachRow("SELECT name, seq FROM main.sqlite_sequence") { row in
                marks[row.string(0)] = row.integer(1)
            }
        }
        let threshold = view.threshold(of: self)
        let queries = view.facts.rowidQueries.value { Query.all(view.tables) }
        var (findings, highest): ([Finding], Double) = ([], 0)
        for (table, last) in try queries.flatMap({ try $0.rows(view.connection) }) {
            let mark = max(last, table.isAutoincrement ? marks[table.name] ?? 0 : 0)
            let share = Double(max(0, mark)) / Double(Int64.max)
            highest = max(highest, share)
            guard let severity = threshold.severity(of: share * 100) else { continue }
            findings.append(
                finding(
                    severity,
                    "the highest id of \(table.name) is \(mark): \(Int(share * 100)) % of the largest possible id",
                    help: table.isAutoincrement
                        ? "Find out what assigns the ids; a single row with a huge id raises the value in sqlite_sequence permanently."
                        : "Find out what assigns the ids.",
                    table: table.name))
        }
        return HealthResult(
            findings,
            measures: [
                HealthMeasure(
                    "rowid_used_ratio", .ratio, highest, "The highest id divided by the largest possible id.",
                    threshold: threshold)
            ])
    }

    /// The highest rowids of some tables in one statement, since each takes its time.
    private struct Query: Sendable {
        private let tables: [Catalog.Table]
        private let sql: String

        /// Fewer than the columns that a result may have.
        private static let width = 100

        static func all(_ tables: [Catalog.Table]) -> [Query] {
            let counted = tables.filter { $0.kind == .ordinary && $0.rowidName != nil }
            return stride(from: 0, to: counted.count, by: width).map {
                Query(Array(counted[$0..<min(counted.count, $0 + width)]))
            }
        }

        private init(_ tables: [Catalog.Table]) {
            self.tables = tables
            let columns = tables.map { table in
                "(SELECT max(\(table.rowidName ?? "rowid")) FROM main.\(quotedName(table.name)))"
            }
            sql = "SELECT " + columns.joined(separator: ", ")
        }

        func rows(_ connection: any Connection) throws -> [(table: Catalog.Table, last: Int64)] {
            let last = try connection.firstRow(sql) { row in tables.indices.map(row.integer) } ?? []
            return zip(tables, last).map { ($0, $1) }
        }
    }
}
