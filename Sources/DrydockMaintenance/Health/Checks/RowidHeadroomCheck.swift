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
        .rowidHeadroom, threshold: HealthThreshold(warning: "0:50", critical: "0:90"),
        measured: "the highest id in percent of 9223372036854775807")

    func check(_ view: HealthView) throws -> HealthResult {
        var marks: [String: Int64] = [:]
        if view.catalog.hasSequences {
            try view.connection.forEachRow("SELECT name, seq FROM main.sqlite_sequence") { row in
                marks[row.string(0)] = row.integer(1)
            }
        }
        let threshold = view.threshold(of: self)
        var (findings, highest): ([Finding], Double) = ([], 0)
        for table in view.tables where table.kind == .ordinary {
            guard let rowid = table.rowidName else { continue }
            let sql = "SELECT max(\(rowid)) FROM main.\(quotedName(table.name))"
            let last = try view.connection.firstRow(sql) { $0.integer(0) } ?? 0
            let mark = max(last, table.isAutoincrement ? marks[table.name] ?? 0 : 0)
            let share = Double(max(0, mark)) / Double(Int64.max)
            highest = max(highest, share)
            guard let severity = threshold.severity(of: share * 100) else { continue }
            findings.append(
                finding(
                    severity,
                    "the highest id of \(table.name) is \(mark): \(Int(share * 100)) % of what there is",
                    help: table.isAutoincrement
                        ? "Find out who gives ids out; a single row with a huge id moves the mark in sqlite_sequence for good."
                        : "Find out who gives ids out.",
                    table: table.name))
        }
        return HealthResult(
            findings,
            measures: [
                HealthMeasure(
                    "rowid_used_ratio", .ratio, highest, "The highest id by the largest that there is.",
                    threshold: threshold)
            ])
    }
}
