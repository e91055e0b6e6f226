import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// `foreign-key-violation`: a row references a parent that does not exist, or a key a table that does not exist, and did
/// not before the step.
///
/// `foreign_key_check` stops at the first key whose parent has no unique index on the columns
/// (https://www.sqlite.org/foreignkeys.html#fk_schemaerrors), so each table is checked separately: such a key is a
/// fault in itself, and the rest is still checked.
package struct ForeignKeyRule: StateRule {
    package let rule = Rule.foreignKeyViolation

    package init() {}

    package func faults(in view: StateView) throws -> [Fault] {
        var faults: [Fault] = []
        var names: Set<String>?
        for table in view.catalog.tables.values.sorted(by: { $0.name < $1.name }) where table.module == nil {
            guard table.sql.containsWord("references") else { continue }
            if isAsBefore(table, in: view) {
                faults += view.earlierFaults(rule, of: table)
                continue
            }
            do {
                faults += try violations(of: table, in: view, &names)
            } catch let error as EngineError
                where !error.isInterrupt && !error.isCorruption && !error.isOutage
            {
                faults.append(
                    Fault(
                        id: .init(rule: rule, kind: Self.mismatch, names: [table.name.foldedASCII]),
                        sentence: "a foreign key of \(table.name) cannot be enforced: \(error.message)",
                        help: "The parent's columns need a PRIMARY KEY or a UNIQUE index of their own.",
                        table: table.name))
            }
        }
        return faults
    }

    /// Whether neither the table changed nor the rows that it can reference.
    private func isAsBefore(_ table: Catalog.Table, in view: StateView) -> Bool {
        guard view.isAsBefore(table) else { return false }
        // A new parent row may have fixed an earlier fault.
        let wasKept = view.earlierFaults(rule, of: table).isEmpty
        guard let model = table.model else { return false }
        return model.foreignKeys.allSatisfy { key in
            guard let parent = view.catalog.table(key.parent) else {
                return view.earlier?.catalog.table(key.parent) == nil
            }
            if view.isAsBefore(parent) { return true }
            let columns: [String?] = key.parentColumns ?? [nil]
            return wasKept && columns.allSatisfy { view.keepsKeys(of: parent, referencedBy: $0) }
        }
    }

    /// - Parameter names: the folded names of all tables and views, read when they are first needed.
    private func violations(
        of table: Catalog.Table, in view: StateView, _ names: inout Set<String>?
    ) throws -> [Fault] {
        func listed() throws -> [Int64: ListedForeignKey] {
            var keys: [Int64: ListedForeignKey] = [:]
            try view.connection.forEachRow("PRAGMA main.foreign_key_list(\(quotedName(table.name)))") { row in
                keys[row.integer(0), default: .init(parent: row.string(2))].columns.append(row.string(3))
            }
            return keys
        }
        let keys = try view.facts?.foreignKeys(of: table.name, read: listed) ?? listed()
        let broken = try isProved(table, in: view) ? [:] : rowsWithoutParent(of: table, keys, in: view)
        let violations = broken.sorted { $0.key < $1.key }.map { id, evidence in
            let key = keys[id] ?? .init(parent: "?")
            return Self.violation(of: table.name, key.columns, by: evidence, parent: key.parent)
        }
        // The check says nothing of a missing table as long as no row needs it.
        let tables =
            try names ?? view.facts?.names
            ?? Set(
                view.connection.rows("SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view')") {
                    $0.string(0).foldedASCII
                })
        names = tables
        let dangling = keys.sorted { $0.key < $1.key }.filter { id, key in
            broken[id] == nil && !tables.contains(key.parent.foldedASCII)
        }
        return violations
            + dangling.map { Self.missingParent(of: table.name, $0.value.columns, parent: $0.value.parent) }
    }

    /// Whether the pages alone show that each row has its parents.
    private func isProved(_ table: Catalog.Table, in view: StateView) -> Bool {
        // What cannot be read in this way is read by SQLite, which names it.
        guard let pages = view.proved, let scan = try? ReferenceScan(table, view.catalog, pages) else {
            return false
        }
        return (try? scan.isWhole()) ?? false
    }

    /// Returns the rows without a parent, by the number of their key.
    private func rowsWithoutParent(
        of table: Catalog.Table, _ keys: [Int64: ListedForeignKey], in view: StateView
    ) throws -> [Int64: Evidence] {
        var counts: [Int64: Int] = [:]
        var rowids: [Int64: [Int64]] = [:]
        try view.connection.forEachRow("PRAGMA main.foreign_key_check(\(quotedName(table.name)))") { row in
            let key = row.integer(3)
            counts[key, default: 0] += 1
            if !row.isNull(1), rowids[key, default: []].count < Evidence.rowLimit {
                rowids[key, default: []].append(row.integer(1))
            }
        }
        return try counts.reduce(into: [:]) { broken, count in
            let rows = try rowids[count.key, default: []].map {
                try Self.row($0, of: table, keys[count.key]?.columns ?? [], in: view)
            }
            broken[count.key] = Evidence(rowCount: count.value, rows: rows)
        }
    }

    /// Returns the key of a row, and what it references.
    package static func row(
        _ rowid: Int64, of table: Catalog.Table, _ columns: [String], in view: StateView
    ) throws -> Evidence.Row {
        let (key, encoding) = (table.primaryKey.map(\.name), view.catalog.encoding)
        let cell = { Evidence.Cell(column: $0, value: Evidence.Sample($1, encoding: encoding)) }
        guard let name = table.rowidName, !key.isEmpty else {
            return .init(key: [cell("rowid", .integer(rowid))])
        }
        let others = columns.filter { !key.map(\.foldedASCII).contains($0.foldedASCII) }
        let list = (key + others).map(quotedName).joined(separator: ", ")
        let cells =
            try view.connection.rows(
                "SELECT \(list) FROM main.\(quotedName(table.name)) WHERE \(name) = \(rowid)"
            ) { row in (key + others).indices.map { cell((key + others)[$0], row.value($0)) } }.first ?? []
        return .init(
            key: Array(cells.prefix(key.count)),
            values: others.isEmpty ? nil : Array(cells.dropFirst(key.count)))
    }

    /// A fault of rows without a parent.
    /// - Parameter rows: with their number.
    package static func violation(
        of child: String, _ columns: [String], by rows: Evidence, parent: String
    ) -> Fault {
        let count = rows.rowCount ?? 0
        return Fault(
            id: .init(
                rule: .foreignKeyViolation, kind: violation, names: [child.foldedASCII, parent.foldedASCII]),
            count: count,
            sentence: "\(counted(count, "row")) of \(child) (\(columns.joined(separator: ", "))) "
                + "\(count == 1 ? "references" : "reference") no row of \(parent)",
            help:
                "Give the rows a parent that exists, or set the column to NULL where it may be. Delete only rows that "
                + "nobody needs, and declare that.",
            table: child, evidence: rows)
    }

    private static func missingParent(of child: String, _ columns: [String], parent: String) -> Fault {
        Fault(
            id: .init(
                rule: .foreignKeyViolation, kind: missingParent,
                names: [child.foldedASCII, parent.foldedASCII]),
            sentence:
                "\(child) (\(columns.joined(separator: ", "))) references a table that does not exist, \(parent)",
            help:
                "With foreign keys on, no row that uses the key can be inserted. Create \(parent), or correct the name in "
                + "REFERENCES.",
            table: child)
    }

    /// Whether `foreign_key_check` reports the fault: it says nothing of a missing table that no row needs.
    package static func isRefused(_ fault: Fault) -> Bool {
        fault.id.rule == .foreignKeyViolation && fault.id.kind != missingParent
    }

    /// The kinds of faults: rows without a parent, a key whose table is missing, and one that cannot be enforced.
    package static let (violation, missingParent, mismatch) = ("violation", "missing-parent", "mismatch")
}
