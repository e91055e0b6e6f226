import DrydockFindings

/// The check `primary-key`: a table without a primary key.
struct PrimaryKeyCheck: HealthCheck {
    let text = HealthCheckText(
        .primaryKey, "a table has no primary key",
        why: "Its rowids may change when it is vacuumed, and nothing else identifies its rows.")

    func check(_ view: HealthView) throws -> HealthResult {
        HealthResult(
            view.schema.tables.values.filter { $0.primaryKey == nil && $0.uniques.isEmpty }
                .sorted { $0.name < $1.name }.map { table in
                    finding(
                        .note, "table \(table.name) has no primary key and no UNIQUE columns",
                        help: "Give it an INTEGER PRIMARY KEY where something refers to its rows.",
                        table: table.name)
                })
    }
}
