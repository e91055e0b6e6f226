import DrydockFindings
import DrydockState

/// The check `foreign-key-without-index`: a foreign key's columns have no index in the child table.
struct ForeignKeyIndexCheck: HealthCheck {
    let text = HealthCheckText(
        .foreignKeyWithoutIndex, "the columns of a foreign key have no index",
        why:
            "Each DELETE in the parent table, and each change of its key, reads the whole child table (https://www.sqlite.org/foreignkeys.html#fk_indexes)."
    )

    func check(_ view: HealthView) throws -> HealthResult {
        HealthResult(view.facts.keysWithoutIndex.value { findings(view) })
    }

    private func findings(_ view: HealthView) -> [Finding] {
        view.schema.tables.values.sorted { $0.name < $1.name }.flatMap { table in
            table.foreignKeys.filter { !IndexCover.isCovered($0, table, view.schema) }.map { key in
                let columns = key.columns.joined(separator: ", ")
                let list = key.columns.map(quotedIfNeeded).joined(separator: ", ")
                return finding(
                    .note,
                    "foreign key \(table.name)(\(columns)) to \(key.parent) has no index",
                    help:
                        "CREATE INDEX \(quotedIfNeeded("\(table.name)_on_\(key.columns.joined(separator: "_"))"))"
                        + " ON \(quotedIfNeeded(table.name))(\(list));",
                    table: table.name, object: "(\(columns))")
            }
        }
    }
}
