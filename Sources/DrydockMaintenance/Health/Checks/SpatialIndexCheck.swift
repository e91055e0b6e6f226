import DrydockFindings
import DrydockState
import DatabaseEngine

/// The check `spatial-index`: an R-Tree is damaged
/// (https://www.sqlite.org/rtree.html#integrity_checks_using_the_rtreecheck_sql_function).
struct SpatialIndexCheck: HealthCheck {
    let text = HealthCheckText(
        .spatialIndex, "an R-Tree's nodes do not agree with each other",
        why: "Searches in an area miss rows; before 3.44 integrity_check does not see it.")

    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult {
        try parts(view).reduce(into: HealthResult()) { $0 += try check(view, part: $1) }
    }

    func parts(_ view: HealthView) -> [String] {
        view.catalog.tables.values.filter { ["rtree", "rtree_i32", "geopoly"].contains($0.module ?? "") }
            .map(\.name).sorted()
    }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        guard let table = view.catalog.table(part) else { return HealthResult() }
        guard table.module != "geopoly" else {
            return HealthResult(
                notReached: [
                    .init(text.rule, table: part, reason: "rtreecheck() does not read a geopoly table")
                ])
        }
        let index = SpatialIndex(table, view.connection)
        let messages = try index.messages()
        guard !messages.isEmpty else { return HealthResult() }
        return HealthResult([
            damage(
                "R-Tree \(part) is damaged: \(counted(messages.count, "message"))",
                help: try index.remedy() ?? "Create it again from the rows that it indexes.", table: part,
                evidence: Evidence(rowCount: messages.count, details: messages))
        ])
    }
}
