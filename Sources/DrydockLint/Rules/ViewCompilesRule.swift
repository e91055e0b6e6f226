import DrydockReplay
import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// `view-broken` without a snapshot: a view or trigger that does not compile after all migrations.
struct ViewCompilesRule: LintRule {
    let rule = Rule.viewBroken
    let speaksOfMissing = true
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "a view or trigger names what does not exist",
        detail: """
            SQLite creates views and triggers without checking what they name. A view fails when it is read, \
            a trigger fails every write to its table, and both make later ALTER TABLE statements fail. A \
            trigger for UPDATE OF a column that its table does not have never fires. Functions that the app \
            registers are listed under `functions:` in drydock.yml.
            """,
        bad: "CREATE VIEW inbox AS SELECT id, subjct FROM email;")

    func check(_ end: LintEnd) -> [LintFault] { broken(end) + idle(end) }

    /// Reports triggers that no UPDATE fires (https://www.sqlite.org/lang_createtrigger.html).
    private func idle(_ end: LintEnd) -> [LintFault] {
        end.schema.triggers.values.sorted { $0.name < $1.name }.compactMap { trigger in
            guard case .update(let columns) = trigger.event, let table = end.schema.table(trigger.table),
                let column = columns.first(where: {
                    table.column($0) == nil && !["rowid", "oid", "_rowid_"].contains($0.foldedASCII)
                })
            else { return nil }
            let others = columns.filter { table.column($0) != nil }
            return end.fault(
                .trigger(trigger.name), .warning,
                "trigger \(trigger.name) is for UPDATE OF \(column), which \(table.name) does not have"
                    + (others.isEmpty ? ": it never fires" : ""),
                help: nearestName(to: column, in: table.columns.map(\.name)).map { "Did you mean \($0)?" }
                    ?? "Name a column of the table.", word: column, table: table.name, column: column)
        }
    }

    private func broken(_ end: LintEnd) -> [LintFault] {
        Self.broken(end.catalog, on: end.connection).compactMap { fault in
            guard let name = fault.id.names.first else { return nil }
            let object: LintRecord.Object =
                fault.id.kind == Catalog.Object.Kind.trigger.rawValue ? .trigger(name) : .view(name)
            var (fault, severity) = (fault, Finding.Severity?.none)
            if let function = UnknownFunction(
                message: fault.sentence.text, of: end.linted.last, on: end.connection)
            {
                fault.help = function.help.text
                // What was added between this SQLite and the oldest supported version is not the migration's fault.
                if function.isSupported(since: end.minimum) { severity = .warning }
            }
            if let found = end.fault(
                object, severity, fault.sentence.text, help: fault.help, table: fault.table)
            {
                return found
            }
            // A view that broke before is not the fault of a linted migration.
            guard !end.brokenElsewhere.contains(fault.id), let last = end.linted.last else { return nil }
            let cause = cause(of: fault, end)
            var found = LintFault(
                severity, fault.sentence.text, help: fault.help, at: cause?.statement, table: fault.table)
            found.migration = cause?.migration ?? last
            return found
        }
    }

    /// Returns why some views and triggers of a schema are not compiled.
    /// - Parameter catalog: as ``catalog(of:on:without:)`` returns it.
    static func unchecked(
        in schema: Schema, _ catalog: Catalog?, on connection: any Connection
    ) -> [NotChecked.Reason] {
        guard !schema.views.isEmpty, let catalog else { return [] }
        return ViewRule().notChecked(
            in: StateView(connection: connection, catalog: catalog))
    }

    /// Returns the views and triggers of a schema that do not compile.
    static func broken(
        in schema: Schema, on connection: any Connection, without historyTables: [String]
    ) -> [Fault] {
        broken(catalog(of: schema, on: connection, without: historyTables), on: connection)
    }

    /// Returns what SQLite says of a schema; nil where there is nothing to compile. Reading it takes a while.
    static func catalog(
        of schema: Schema, on connection: any Connection, without historyTables: [String]
    ) -> Catalog? {
        guard !schema.views.isEmpty || !schema.triggers.isEmpty else { return nil }
        return try? Catalog(connection, without: historyTables, earlier: nil)
    }

    private static func broken(_ catalog: Catalog?, on connection: any Connection) -> [Fault] {
        guard let catalog,
            let faults = try? ViewRule().faults(
                in: StateView(connection: connection, catalog: catalog))
        else { return [] }
        return faults
    }

    /// Returns the last linted statement that dropped or renamed what SQLite does not find.
    private func cause(
        of fault: Fault, _ end: LintEnd
    ) -> (migration: Migration, statement: SQLStatement)? {
        let missing: [String] = fault.sentence.text.split(whereSeparator: { ": .".contains($0) })
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
    /// The name of a table, view or column that does not exist after the statement.
    fileprivate var removedName: String? {
        switch self {
        case .dropTable(let name), .dropView(let name), .renameTable(let name, _): name.name
        case .dropColumn(_, let column), .renameColumn(_, let column, _): column
        default: nil
        }
    }
}
