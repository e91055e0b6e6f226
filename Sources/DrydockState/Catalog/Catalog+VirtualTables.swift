import DatabaseEngine
import SQLiteSchema

extension Catalog {
    /// The folded names of the tables that may be those of a module which is missing: it creates them itself, so that no
    /// migration does, and their rows are data.
    package var tablesOfMissingModules: Set<String> { Set(tables.keys.filter(isOfMissingModule)) }

    /// Returns whether a folded name begins with that of a virtual table that cannot be opened.
    func isOfMissingModule(_ name: String) -> Bool {
        !unopened.isEmpty
            && name.indices.contains { name[$0] == "_" && unopened.contains(String(name[..<$0])) }
    }

    static func virtualTable(_ row: CatalogSource.Row) -> VirtualTable? {
        let row = SQLiteSchema.SchemaRow(type: row.kind, name: row.name, table: row.table, sql: row.sql)
        return SchemaParser().schema(of: [row]).virtualTables.values.first
    }

    /// Whether the module created a table with a name that SQLite reserves for that module.
    static func isMadeByModule(_ row: CatalogSource.Row, _ virtualTables: [String: VirtualTable])
        -> Bool
    {
        guard row.kind == "table", let end = row.name.lastIndex(of: "_") else { return true }
        // A connection that drops a virtual table still takes the tables left beside it for a module's.
        guard let owner = virtualTables[String(row.name[..<end]).foldedASCII] else { return false }
        guard owner.isOfKnownModule else { return true }
        return owner.owns(table: row.name, sql: row.sql)
    }

    /// Full-text tables with `content=` store no text, and some modules only show content stored elsewhere
    /// (https://www.sqlite.org/fts5.html#external_content_and_contentless_tables).
    static func virtualKind(_ table: VirtualTable?) -> Table.Kind {
        guard let table else { return .virtual(module: "") }
        let module = table.module.foldedASCII
        if ["fts5vocab", "fts4aux", "dbstat"].contains(module) { return .derived(module: module) }
        if table.isContentless { return .contentless(module: module) }
        return table.isExternalContent ? .derived(module: module) : .virtual(module: module)
    }
}

extension Catalog.Table {
    package var isFullText: Bool { ["fts3", "fts4", "fts5"].contains(module ?? "") }

    /// The parsed definition of a virtual table.
    package var virtual: VirtualTable? { schema.virtualTables.values.first }
}
