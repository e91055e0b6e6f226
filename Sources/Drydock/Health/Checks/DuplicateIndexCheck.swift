import DatabaseEngine
import SQLiteSchema

/// `duplicate-index`: an index that another index or a key makes unneeded.
struct DuplicateIndexCheck: HealthCheck {
    let text = HealthCheckText(
        "duplicate-index", "an index holds what another one holds, or the beginning of it",
        why: "It costs space and time on every write and serves no query that the other does not.")

    private struct Entry {
        var name: String
        var isUnique: Bool
        var isImplied: Bool
        /// Column, collation and direction; nil where an expression is among them.
        var terms: [[String]]?
        var condition: SQLFragment?
        var isPartial: Bool
    }

    func check(_ view: HealthView) throws -> HealthResult {
        HealthResult(try view.tables.flatMap { try check($0, view) })
    }

    private func check(_ table: Catalog.Table, _ view: HealthView) throws -> [HealthFinding] {
        let entries = try entries(of: table, view)
        return entries.filter { !$0.isImplied }.compactMap { entry in
            guard let terms = entry.terms,
                let other = entries.first(where: { Self.covers($0, entry, terms) })
            else { return nil }
            let isSame = other.terms == terms
            let what = other.isImplied ? "a key of \(table.name)" : "index \(other.name)"
            return finding(
                isSame ? .warning : .note,
                isSame
                    ? "index \(entry.name) of \(table.name) holds what \(what) holds already"
                    : "index \(entry.name) of \(table.name) is the beginning of \(what)",
                help: "Drop it: DROP INDEX \(quotedIfNeeded(entry.name));", table: table.name,
                object: entry.name)
        }
    }

    private static func covers(_ other: Entry, _ entry: Entry, _ terms: [[String]]) -> Bool {
        guard other.name != entry.name, let wide = other.terms, wide.starts(with: terms),
            other.isPartial == entry.isPartial, other.condition == entry.condition,
            !entry.isPartial || entry.condition != nil
        else { return false }
        guard wide == terms else { return !entry.isUnique }
        // Of two that are the same, the key stays, then the unique one, then the first.
        if other.isImplied { return true }
        if other.isUnique != entry.isUnique { return other.isUnique }
        return other.name < entry.name
    }

    private func entries(of table: Catalog.Table, _ view: HealthView) throws -> [Entry] {
        var entries: [Entry] = []
        try view.connection.forEachRow("PRAGMA main.index_list(\(quotedName(table.name)))") { row in
            entries.append(
                Entry(
                    name: row.string(1), isUnique: row.integer(2) != 0, isImplied: row.string(3) != "c",
                    condition: view.schema.indexes[row.string(1).foldedASCII]?.condition,
                    isPartial: row.integer(4) != 0))
        }
        for index in entries.indices {
            var terms: [[String]]? = []
            try view.connection.forEachRow("PRAGMA main.index_xinfo(\(quotedName(entries[index].name)))") {
                row in
                guard row.integer(5) != 0 else { return }
                // -2 is an expression.
                if row.integer(1) == -2 { terms = nil }
                terms?.append([row.string(1), row.string(3), row.string(4).foldedASCII])
            }
            entries[index].terms = terms
        }
        return entries
    }
}
