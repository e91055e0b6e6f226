import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteFile

/// The check `statistics`: the planner knows nothing about an index, or its statistics are long out of date.
struct StatisticsCheck: HealthCheck {
    let text = HealthCheckText(
        .statistics, "ANALYZE has never been run, or the tables have changed a lot since",
        why:
            "The query planner has to guess, and may choose the wrong index (https://www.sqlite.org/lang_analyze.html).",
        threshold: HealthThreshold(warning: "0:10"),
        measured: "factor by which the number of rows has changed")

    /// In smaller tables a wrong estimate costs nothing.
    private static let leastRows = 1000

    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult {
        try parts(view).reduce(into: HealthResult()) { $0 += try check(view, part: $1) }
    }

    func parts(_ view: HealthView) -> [String] { view.tables.map(\.name) }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        guard let root = view.facts.roots[part],
            view.facts.trees[part]?.contains(where: { $0.type == "index" }) == true
        else { return HealthResult() }
        let outline = try view.facts.outline(of: root)
        let (rows, about) = (outline.rowCount, outline.isExact ? "" : "about ")
        guard rows >= Self.leastRows else { return HealthResult() }
        guard let known = try knownRows(of: part, view) else {
            return HealthResult([
                finding(
                    .note,
                    "there are no statistics of \(part), which has \(about)\(counted(rows, "row")) and indexes",
                    help: "PRAGMA optimize; or ANALYZE \(quotedIfNeeded(part));", table: part)
            ])
        }
        let factor = Double(max(rows, known)) / Double(max(1, min(rows, known)))
        guard let severity = view.threshold(of: self).severity(of: factor) else { return HealthResult() }
        return HealthResult([
            finding(
                severity,
                "the statistics of \(part) are of \(counted(known, "row")); it has \(about)\(rows)",
                help: "ANALYZE \(quotedIfNeeded(part));", table: part)
        ])
    }

    /// Returns the number of rows in an index's statistics ("The first integer in this list is the number of rows in
    /// the index"); nil if there is no line (https://www.sqlite.org/fileformat2.html#stat1tab).
    private func knownRows(of table: String, _ view: HealthView) throws -> Int? {
        guard view.facts.trees["sqlite_stat1"] != nil else { return nil }
        let counts = try view.connection.rows(
            "SELECT stat FROM main.sqlite_stat1 WHERE tbl = ? COLLATE NOCASE", [SQLValue(table)]
        ) { Int($0.string(0).prefix { $0 != " " }) ?? 0 }
        return counts.max()
    }
}
