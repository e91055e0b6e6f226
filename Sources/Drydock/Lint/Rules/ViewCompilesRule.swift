import DatabaseEngine
import SQLiteSchema

/// `view-broken` without a snapshot: a view or trigger that the migrations leave, and that does not compile.
struct ViewCompilesRule: LintRule {
    let rule = Rule.viewBroken
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "a view or trigger names what is not there",
        detail: """
            SQLite makes views and triggers without looking at what they name. A view fails when it is read, a \
            trigger fails every write to its table, and both make later ALTER TABLE statements fail.
            """,
        bad: "CREATE VIEW inbox AS SELECT id, subjct FROM email;")

    func check(_ end: LintEnd) -> [LintFault] {
        guard !end.schema.views.isEmpty || !end.schema.triggers.isEmpty else { return [] }
        guard let catalog = try? Catalog(end.connection, without: end.historyTables, earlier: nil),
            let faults = try? ViewRule().faults(
                in: StateView(connection: end.connection, catalog: catalog, foreignKeysAreProven: false))
        else { return [] }
        return faults.compactMap { fault in
            let kind = fault.id.kind
            guard let name = fault.id.names.first else { return nil }
            // A function that the app registers is not known here.
            if fault.message.contains("no such function") { return nil }
            if let found = end.fault(kind, name, nil, fault.message, help: fault.help, table: fault.table) {
                return found
            }
            guard let last = end.last else { return nil }
            var found = LintFault(nil, fault.message, help: fault.help, table: fault.table)
            found.migration = last
            return found
        }
    }
}
