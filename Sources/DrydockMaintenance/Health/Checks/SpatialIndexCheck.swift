import DrydockFindings
import DrydockState
import DatabaseEngine

/// `spatial-index`: an R-Tree is not whole
/// (https://www.sqlite.org/rtree.html#integrity_checks_using_the_rtreecheck_sql_function).
struct SpatialIndexCheck: HealthCheck {
    let text = HealthCheckText(
        "spatial-index", "an R-Tree's nodes do not agree with each other",
        why: "Searches by place miss rows; before 3.44 integrity_check does not see it.")

    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult {
        try parts(view).reduce(into: HealthResult()) { $0 += try check(view, part: $1) }
    }

    func parts(_ view: HealthView) -> [String] {
        view.catalog.tables.values.filter { ["rtree", "rtree_i32", "geopoly"].contains($0.module ?? "") }
            .map(\.name).sorted()
    }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        let answer = try view.connection.firstRow("SELECT rtreecheck('main', ?)", [SQLValue(part)]) {
            $0.string(0)
        }
        guard let answer, answer != "ok" else { return HealthResult() }
        let messages = answer.split(separator: "\n").map(String.init)
        return HealthResult([
            finding(
                .error, "R-Tree \(part) is damaged: \(counted(messages.count, "message"))",
                help: "Make it anew from the rows that it indexes.", table: part,
                evidence: Evidence(rowCount: messages.count, details: messages))
        ])
    }
}
