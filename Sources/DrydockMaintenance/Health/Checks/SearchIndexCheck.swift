import DrydockFindings
import DrydockState

/// The check `search-index`: a full-text index does not agree with its content. It runs on the overlay, since the
/// check is an INSERT.
struct SearchIndexCheck: HealthCheck {
    let text = HealthCheckText(.searchIndex)

    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult {
        try parts(view).reduce(into: HealthResult()) { $0 += try check(view, part: $1) }
    }

    func parts(_ view: HealthView) -> [String] {
        view.catalog.tables.values.filter { ["fts3", "fts4", "fts5"].contains($0.module ?? "") }
            .map(\.name).sorted()
    }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        guard let table = view.catalog.table(part) else { return HealthResult() }
        let name = quotedIfNeeded(table.name)
        return HealthResult(
            try SearchIndexRule().faults(in: view.stateView(of: [table])).map { fault in
                damage(
                    fault.message,
                    help: table.isContentless
                        ? "Its index is the only copy of its words: fill it again from the texts."
                        : "Rebuild it: INSERT INTO \(name)(\(name)) VALUES('rebuild');",
                    table: table.name)
            })
    }
}
