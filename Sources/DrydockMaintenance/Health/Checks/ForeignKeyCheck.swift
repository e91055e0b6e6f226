import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// The check `foreign-key-violation`: rows reference a missing parent, or a key cannot be enforced at all.
struct ForeignKeyCheck: RangedHealthCheck {
    let text = HealthCheckText(
        .foreignKeyViolation,
        "rows reference a parent that does not exist, or a parent's columns are not unique",
        why: "With foreign keys on, later changes to these rows fail.")

    let isVital = true
    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult { try check(view, view.tables) }

    func parts(_ view: HealthView) -> [String] {
        view.tables.filter { $0.sql.containsWord("references") }.map(\.name)
    }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        try check(view, view.catalog.table(part).map { [$0] } ?? [])
    }

    func check(_ view: HealthView, part: String, _ range: inout HealthRange) throws {
        guard let table = view.catalog.table(part), let model = view.schema.table(part) else {
            range.isDone = true
            return
        }
        if range.place.key == nil {
            // A parent with columns that are not unique is found before any row is read.
            _ = try view.connection.prepare("PRAGMA main.foreign_key_check(\(quotedName(part)))")
        }
        let keys = model.foreignKeys.filter { violation(of: $0, model, view.schema) != nil }
        if keys.count < model.foreignKeys.count || table.rowidName == nil {
            range.notReached.append(
                .init(
                    text.rule, table: part,
                    reason: "one of its keys takes longer than a slice while the database is being written"))
        }
        guard !keys.isEmpty, table.rowidName != nil else {
            range.isDone = true
            return
        }
        var found = keys.map { HealthTally($0.parent, kind: $0.columns.joined(separator: ", ")) }
        let batches = RowidBatches(
            view: view, table: table, columns: keys.compactMap { violation(of: $0, model, view.schema) })
        let (deadline, state) = (range, view.stateView(of: [table]))
        range.isDone = try batches.run(&range.place.key, while: { deadline.goesOn }) { rowid, row in
            for index in keys.indices where row.integer(index + 1) != 0 {
                try found[index].add(ForeignKeyRule.row(rowid, of: table, keys[index].columns, in: state))
            }
        }
        for tally in found where tally.count > 0 { range.add(tally) }
    }

    /// Returns, as SQL, the condition that a row references nothing; nil if SQLite's own comparison is not available:
    /// "the parent key column's affinity and collation" count (https://www.sqlite.org/foreignkeys.html#fk_indexes).
    private func violation(of key: ForeignKey, _ child: Table, _ schema: Schema) -> String? {
        let isGiven = key.columns.map { "\"row\".\(quotedName($0)) IS NOT NULL" }.joined(separator: " AND ")
        guard let parent = schema.table(key.parent) else {
            return schema.virtualTables[key.parent.foldedASCII] == nil ? isGiven : nil
        }
        guard let columns = schema.parentColumns(of: key), columns.count == key.columns.count else {
            return nil
        }
        let pairs = zip(columns, key.columns).map { name, own -> String? in
            guard let column = parent.column(name), let ownColumn = child.column(own),
                parent.affinity(of: column) == child.affinity(of: ownColumn)
            else { return nil }
            return "parent.\(quotedName(name)) = \"row\".\(quotedName(own))"
        }
        guard !pairs.contains(nil) else { return nil }
        let condition = pairs.compactMap(\.self).joined(separator: " AND ")
        return """
            \(isGiven) AND NOT EXISTS (SELECT 1 FROM main.\(quotedName(key.parent)) AS parent WHERE \(condition))
            """
    }

    func findings(_ tallies: [HealthTally], part: String) -> [Finding] {
        tallies.map { tally in
            finding(
                .error,
                "\(counted(tally.count, "row")) of \(part) (\(tally.kind)) "
                    + "\(tally.count == 1 ? "references" : "reference") no row of \(tally.object ?? "")",
                help: Self.help, table: part, object: tally.object?.foldedASCII, evidence: tally.evidence)
        }
    }

    private static let help =
        "Give the rows a parent that exists, set the columns to NULL, or delete the rows."

    private func check(_ view: HealthView, _ tables: [Catalog.Table]) throws -> HealthResult {
        HealthResult(
            try ForeignKeyRule().faults(in: view.stateView(of: tables)).map { fault in
                return finding(
                    fault.id.kind == ForeignKeyRule.missingParent ? .warning : .error, fault.sentence,
                    help: fault.id.kind == ForeignKeyRule.violation ? Self.help : fault.help,
                    table: fault.table, object: fault.id.names.dropFirst().first, evidence: fault.evidence)
            })
    }
}

extension HealthView {
    /// From which size on a file is worth several threads.
    private static let leastPages: UInt32 = 1000

    /// Returns a state that has only some tables, for rules that ask the shared facts about nothing but those.
    func stateView(of tables: [Catalog.Table]) -> StateView {
        var catalog = facts.catalog
        catalog.tables = Dictionary(tables.map { ($0.name.foldedASCII, $0) }) { $1 }
        var view = StateView(connection: connection, catalog: catalog, facts: facts.shared)
        if facts.isProved, file.pageCount >= Self.leastPages {
            view.proved = ProvedPages(file) { [facts] in facts.roots[$0] }
        }
        return view
    }
}
