import DrydockFindings
import DrydockState
import DatabaseEngine

/// The check `table-unreadable`: a generated column that does not compile, or with `--deep` one that fails on a row;
/// a table that accepts no row, since a CHECK constraint or an index of it does not compile.
struct ReadableTablesCheck: HealthCheck {
    let text = HealthCheckText(
        .tableUnreadable, "some columns of a table cannot be read, or no row can be inserted",
        why:
            "A generated column is computed when it is read: one row that it fails on makes every SELECT * fail."
    )

    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult {
        try parts(view).reduce(into: HealthResult()) { $0 += try check(view, part: $1) }
    }

    func parts(_ view: HealthView) -> [String] { view.tables.map(\.name) }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        guard let table = view.catalog.table(part) else { return HealthResult() }
        var reading = TableReading(
            connection: view.connection, table: table, encoding: view.catalog.encoding,
            indexes: view.facts.indexes[table.name.foldedASCII] ?? [])
        reading.readsRows = view.isDeep
        reading.facts = view.facts.shared
        reading.isKnownEmpty = view.isEmpty(table)
        return HealthResult(
            try reading.faults().map { fault in
                // A program that registers the function or collation can read it.
                let isUnknown = [SQLiteMessage.unknownFunction, .noSuchFunction].contains {
                    $0.occurs(in: fault.sentence.text)
                }
                let isUncollated = fault.id.kind == "collation"
                var help = fault.help
                if isUnknown {
                    help = "If the program registers the function, name it with --function. If not: \(help)"
                } else if isUncollated {
                    help =
                        "If the program registers the collation, name it with --collation. If not, every comparison and "
                        + "sort of the column fails: correct its definition."
                }
                return finding(
                    isUnknown || isUncollated ? .warning : .error, fault.sentence, help: help,
                    table: table.name, object: fault.column, evidence: fault.evidence)
            })
    }
}
