/// `foreign-key`: rows reference a parent that is not there, or a key cannot be enforced at all.
struct ForeignKeyCheck: HealthCheck {
    let text = HealthCheckText(
        "foreign-key", "rows reference a parent that does not exist, or a parent's columns are not unique",
        why: "With foreign keys on, later changes to these rows fail.")

    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult { try check(view, view.tables) }

    func parts(_ view: HealthView) -> [String] {
        view.tables.filter { $0.sql.containsWord("references") }.map(\.name)
    }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        try check(view, view.catalog.table(part).map { [$0] } ?? [])
    }

    private func check(_ view: HealthView, _ tables: [Catalog.Table]) throws -> HealthResult {
        HealthResult(
            try ForeignKeyRule().faults(in: view.stateView(of: tables)).map { fault in
                let isMismatch = fault.id.kind == "mismatch"
                return finding(
                    .error, fault.message,
                    help: isMismatch
                        ? fault.help
                        : "Give the rows a parent that exists, set the columns to NULL, or delete the rows.",
                    table: fault.table, object: fault.id.names.dropFirst().first, evidence: fault.evidence)
            })
    }
}

extension HealthView {
    /// A state that has only some tables.
    func stateView(of tables: [Catalog.Table]) -> StateView {
        var catalog = facts.catalog
        catalog.tables = Dictionary(tables.map { ($0.name.foldedASCII, $0) }) { $1 }
        return StateView(connection: connection, catalog: catalog, foreignKeysAreProven: false)
    }
}
