import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// `search-index-stale`: a full-text index no longer agrees with its content, or a spatial index with itself, which
/// `integrity_check` does not detect.
///
/// FTS5 compares an external-content index with its table when `integrity-check` is given rank 1
/// (https://www.sqlite.org/fts5.html#the_integrity_check_command); FTS3 and FTS4 always do
/// (https://www.sqlite.org/fts3.html#integcheck). Both commands are INSERTs, so they run on a fork. What they leave
/// out, ``FullTextStore`` checks. An R-Tree is checked with `rtreecheck()`
/// (https://www.sqlite.org/rtree.html#integrity_checks_using_the_rtreecheck_sql_function).
package struct SearchIndexRule: StateRule {
    package let rule = Rule.searchIndexStale

    package init() {}

    package func faults(in view: StateView) throws -> [Fault] {
        var faults: [Fault] = []
        for table in view.catalog.virtualTables where !table.hasStandInTokenizer {
            if isAsBefore(table, in: view) {
                faults += view.earlierFaults(rule, of: table)
                continue
            }
            switch table.module {
            case "fts3", "fts4", "fts5": faults += try fullTextFaults(table, in: view)
            case "rtree", "rtree_i32": faults += try SpatialIndex(table, view.connection).faults()
            default: continue
            }
        }
        return faults
    }

    /// `rtreecheck()` miscounts the columns of a geopoly table.
    package func notChecked(in view: StateView) -> [NotChecked.Reason] {
        view.catalog.virtualTables.filter { $0.module == "geopoly" && !isAsBefore($0, in: view) }
            .map { .unsupported("rtreecheck() does not read the geopoly table \($0.name)") }
            + view.catalog.virtualTables.filter { $0.hasStandInTokenizer && !isAsBefore($0, in: view) }
            .map { .unsupported("the index of \($0.name) uses a tokenizer that only the app has") }
    }

    // MARK: - Full text

    private func fullTextFaults(_ table: Catalog.Table, in view: StateView) throws -> [Fault] {
        let name = quotedName(table.name)
        var check: String? = "INSERT INTO main.\(name)(\(name)) VALUES('integrity-check')"
        if table.module == "fts5" {
            check = "INSERT INTO main.\(name)(\(name), rank) VALUES('integrity-check', 1)"
        } else if table.isContentless {
            // FTS4 without text has nothing to be compared with, and would read a table of that name if one exists.
            check = nil
        }
        do {
            // Prepared, so that a connection which goes on to other databases keeps it.
            if let check { _ = try view.connection.prepare(check).step() }
            guard let index = table.virtual,
                let damage = try FullTextStore(index, table.columns, view.connection).damage()
            else { return [] }
            return [
                try measured(
                    fault(table, "is damaged: \(damage)", help: table.isContentless ? nil : storeHelp(table)),
                    table,
                    in: view)
            ]
        } catch let error as EngineError
            where !error.isInterrupt && !error.isOutage && !error.isOverLimit && !error.isReadOnly
        {
            return [try measured(fault(table, error, in: view), table, in: view)]
        }
    }

    /// Counts how much of an index is wrong: a step may add to what was wrong before.
    private func measured(_ fault: Fault, _ table: Catalog.Table, in view: StateView) throws -> Fault {
        guard let index = table.virtual else { return fault }
        var fault = fault
        do {
            fault.count = try SearchIndexExtent(table, index, view.connection).count() ?? 1
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage && !error.isOverLimit {
            // The tokenizer may need what is not here.
            return fault
        }
        return fault
    }

    private func fault(_ table: Catalog.Table, _ error: EngineError, in view: StateView) throws -> Fault {
        func columns(_ name: String) -> [String] {
            view.earlier?.catalog.table(name)?.columns.map(\.name) ?? []
        }
        let mismatch = try table.virtual.flatMap {
            try SearchIndexMismatch(
                $0, view.connection, earlier: columns,
                renamed: { view.renamed($0).flatMap { view.catalog.table($0)?.name } })
        }
        if error.isCorruption, mismatch == nil, let hidden = hiddenRowid(of: table, in: view) {
            return fault(table, hidden.fact, help: hidden.help)
        }
        let fact =
            mismatch.map { "cannot be read: \($0.fact)" }
            ?? (error.isCorruption
                ? "does not agree with its content: searches miss rows or find old words"
                : "cannot be read: \(error.withoutAdvice)")
        let repair = try mismatch == nil ? FullTextRepair(table, view.connection) : nil
        return fault(
            table, fact, help: mismatch?.help ?? (repair?.isSimple == false ? repair?.help : nil))
    }

    private func storeHelp(_ table: Catalog.Table) -> String {
        let name = quotedIfNeeded(table.name)
        return """
            Do not write to the tables in which the module keeps the index (\(name)_...), or rebuild it at the end of the migration:
              INSERT INTO \(name)(\(name)) VALUES('rebuild');
            """
    }

    private func fault(_ table: Catalog.Table, _ fact: String, help: String? = nil) -> Fault {
        let name = quotedIfNeeded(table.name)
        let remedy =
            table.isContentless
            ? "The index is the only copy of its words. Do not write to the tables in which the module keeps them (\(name)_...)."
            : """
            Rebuild it at the end of the migration, or keep it up to date with triggers:
              INSERT INTO \(name)(\(name)) VALUES('rebuild');
            """
        return Fault(
            id: .init(rule: rule, names: [table.name.foldedASCII]),
            sentence: "full-text index \(table.name) \(fact)", help: help ?? remedy, table: table.name)
    }

    /// Whether neither the index nor the table that it reads changed.
    private func isAsBefore(_ table: Catalog.Table, in view: StateView) -> Bool {
        guard let changes = view.changes, let old = view.earlier?.catalog.table(table.name),
            old.sql == table.sql, changes.isUntouched(shadowTablesOf: table.name),
            let index = table.virtual
        else { return false }
        guard index.isExternalContent, let name = index.content else { return true }
        guard let content = view.catalog.table(name), view.isAsBefore(content) else { return false }
        // A new column may have the name by which the index reads the rowid, or a column that did not exist.
        let read = Set(table.columns.map(\.name.foldedASCII) + [index.rowidName.foldedASCII])
        return read.isDisjoint(with: newColumns(of: content, in: view))
    }

    /// Returns the columns, folded, that a table did not have before.
    private func newColumns(of table: Catalog.Table, in view: StateView) -> Set<String> {
        let old = view.earlier?.catalog.table(table.name)?.columns ?? table.columns
        return Set(table.columns.map(\.name.foldedASCII)).subtracting(old.map(\.name.foldedASCII))
    }

    /// Returns the fact and the remedy where a new column of the content table has the name of its rowid.
    private func hiddenRowid(
        of table: Catalog.Table, in view: StateView
    ) -> (fact: String, help: String)? {
        guard let index = table.virtual, let name = index.content,
            let content = view.catalog.table(name), content.kind == .ordinary,
            newColumns(of: content, in: view).contains(index.rowidName.foldedASCII)
        else { return nil }
        let column = "\(content.name).\(index.rowidName)"
        return (
            "mistakes the new column \(column) for the rowid of its content",
            "'rebuild' does not help, since the index finds its text by that column now. Give the column another name."
        )
    }
}

extension EngineError {
    /// The message, without the remedy of FTS5's that does not work: it does not open the index for 'rebuild' either.
    var withoutAdvice: String {
        SQLiteMessage.wrongSearchFormat.rest(of: message).map { "invalid fts5 file format (\($0))" }
            ?? message
    }
}

extension Catalog {
    var virtualTables: [Table] {
        tables.values.filter { $0.module != nil }.sorted { $0.name < $1.name }
    }
}
