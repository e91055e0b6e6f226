import DrydockFindings
import DrydockState

/// The check `search-index-stale`: a full-text index does not agree with its content. It runs on the overlay, since the
/// check is an INSERT.
struct SearchIndexCheck: HealthCheck {
    let text = HealthCheckText(
        .searchIndexStale,
        "an FTS3, FTS4 or FTS5 index does not agree with its content, or the tables of its module disagree",
        why: "Searches miss rows or find what no longer exists; integrity_check does not see it.")

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
        return HealthResult(
            try SearchIndexRule().faults(in: view.stateView(of: [table])).map { fault in
                damage(fault.sentence, help: try help(table, view) ?? fault.help, table: table.name)
            })
    }

    private func help(_ table: Catalog.Table, _ view: HealthView) throws -> String? {
        if let index = table.virtual,
            let mismatch = try SearchIndexMismatch(
                index, view.connection, earlier: { _ in [] }, renamed: { _ in nil })
        {
            return mismatch.help
        }
        return try FullTextRepair(table, view.connection)?.help
    }
}
