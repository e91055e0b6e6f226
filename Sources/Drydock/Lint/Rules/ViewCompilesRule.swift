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
        Self.broken(in: end.schema, on: end.connection, without: end.historyTables).compactMap { fault in
            let kind = fault.id.kind
            guard let name = fault.id.names.first else { return nil }
            if let found = end.fault(kind, name, nil, fault.message, help: fault.help, table: fault.table) {
                return found
            }
            // What broke before is no fault of what is linted.
            guard !end.brokenElsewhere.contains(fault.id), let last = end.linted.last else { return nil }
            let culprit = culprit(of: fault, end)
            var found = LintFault(
                nil, fault.message, help: fault.help, at: culprit?.statement, table: fault.table)
            found.migration = culprit?.migration ?? last
            return found
        }
    }

    /// The views and triggers of a schema that do not compile.
    static func broken(
        in schema: Schema, on connection: any Connection, without historyTables: [String]
    ) -> [Fault] {
        guard !schema.views.isEmpty || !schema.triggers.isEmpty,
            let catalog = try? Catalog(connection, without: historyTables, earlier: nil),
            let faults = try? ViewRule().faults(
                in: StateView(connection: connection, catalog: catalog, foreignKeysAreProven: false))
        else { return [] }
        // A function that the app registers is not known here.
        return faults.filter { !$0.message.contains("no such function") }
    }

    /// The last linted statement that took away or renamed what SQLite misses.
    private func culprit(
        of fault: Fault, _ end: LintEnd
    ) -> (migration: Migration, statement: SQLStatement)? {
        let missing: [String] = fault.message.split(whereSeparator: { ": .".contains($0) })
            .map { String($0).foldedASCII }
        for migration in end.linted.reversed() {
            for statement in migration.statements.reversed() {
                guard let gone = statement.action.removedName?.foldedASCII, missing.contains(gone) else {
                    continue
                }
                return (migration, statement)
            }
        }
        return nil
    }
}

extension StatementAction {
    /// The name of a table, view or column that is not there any more behind the statement.
    fileprivate var removedName: String? {
        switch self {
        case .dropTable(let name), .dropView(let name), .renameTable(let name, _): name.name
        case .dropColumn(_, let column), .renameColumn(_, let column, _): column
        default: nil
        }
    }
}
