import DatabaseEngine
import SQLiteSchema

/// `search-index-stale`: a full-text index no longer agrees with its content, which `integrity_check`
/// does not see.
///
/// FTS5 compares an external-content index with its table when `integrity-check` is given rank 1
/// (https://www.sqlite.org/fts5.html#the_integrity_check_command); FTS3 and FTS4 do it always
/// (https://www.sqlite.org/fts3.html#integcheck). Both are INSERTs, so they run on a fork.
struct SearchIndexRule: StateRule {
    let rule = Rule.searchIndexStale

    func faults(in view: StateView) throws -> [Fault] {
        var faults: [Fault] = []
        for table in view.catalog.tables.values.sorted(by: { $0.name < $1.name }) {
            if isAsBefore(table, in: view) {
                faults += view.earlierFaults(rule, of: table)
                continue
            }
            let name = quotedName(table.name)
            let check: String
            switch table.module {
            case "fts5": check = "INSERT INTO main.\(name)(\(name), rank) VALUES('integrity-check', 1)"
            // One that keeps no text has nothing to agree with, and reads a table of that name if there is one.
            case "fts4" where table.isContentless: continue
            case "fts3", "fts4": check = "INSERT INTO main.\(name)(\(name)) VALUES('integrity-check')"
            default: continue
            }
            do {
                try view.connection.execute(check)
            } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
                faults.append(try fault(table, error, in: view))
            }
        }
        return faults
    }

    private func fault(_ table: Catalog.Table, _ error: EngineError, in view: StateView) throws -> Fault {
        let name = quotedIfNeeded(table.name)
        func columns(_ name: String) -> [String] {
            view.earlier?.catalog.table(name)?.columns.map(\.name) ?? []
        }
        let mismatch = try definition(of: table).flatMap {
            try SearchIndexMismatch($0, view.connection, earlier: columns)
        }
        let fact =
            mismatch.map { "cannot be read: \($0.fact)" }
            ?? (error.isCorruption
                ? "does not agree with its content: searches miss rows or find old words"
                : "cannot be read: \(error.message)")
        return Fault(
            id: .init(rule: rule, names: [table.name.foldedASCII]),
            message: "full-text index \(table.name) \(fact)",
            help: mismatch?.help
                ?? """
                Rebuild it at the end of the migration, or keep it current with triggers:
                  INSERT INTO \(name)(\(name)) VALUES('rebuild');
                """,
            table: table.name)
    }

    private func definition(of table: Catalog.Table) -> VirtualTable? {
        SchemaParser().schema(of: [
            SchemaRow(type: "table", name: table.name, table: table.name, sql: table.text)
        ]).virtualTables.values.first
    }

    /// Neither the index nor the table that it reads changed.
    private func isAsBefore(_ table: Catalog.Table, in view: StateView) -> Bool {
        guard let changes = view.changes, let old = view.earlier?.catalog.table(table.name),
            old.sql == table.sql, changes.isUntouched(shadowTablesOf: table.name),
            let index = definition(of: table)
        else { return false }
        guard index.isExternalContent, let content = index.content, !content.isEmpty else { return true }
        return view.catalog.table(content).map(view.isAsBefore) ?? false
    }
}
