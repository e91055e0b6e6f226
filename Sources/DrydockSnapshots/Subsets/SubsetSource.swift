import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockProbes
import DrydockReplay
import DrydockState
import SQLiteSchema

/// What a database says of itself, before any row is read.
struct SubsetSource: Sendable {
    /// A row of sqlite_schema.
    struct Entry: Sendable, Hashable {
        var type, name, table: String
        var sql: String?
    }

    let entries: [Entry]
    let catalog: Catalog
    let schema: Schema
    let pageSize, autoVacuum: Int64
    /// Parents before those that refer to them, virtual tables last.
    let tables: [SubsetTable]
    /// Virtual tables whose rows SQLite makes of others, or that keep none that could be read.
    let derived: [Catalog.Table]
    /// Tables that cannot be read, and why.
    let unreadable: [Catalog.UnreadableTable]
    let links: [ParentLink]

    var hasStatistics: Bool { entries.contains { $0.name.foldedASCII == "sqlite_stat1" } }

    init(reading connection: any Connection, historyTables: [String]) throws {
        entries = try connection.rows("SELECT type, name, tbl_name, sql FROM main.sqlite_schema") {
            Entry(type: $0.string(0), name: $0.string(1), table: $0.string(2), sql: $0.optionalString(3))
        }
        var unreadable: [Catalog.UnreadableTable] = []
        let catalog = try Catalog(
            reading: connection, historyTables: [], earlier: nil, unreadable: &unreadable)
        let schema = SchemaParser().schema(
            of: entries.map { SchemaRow(type: $0.type, name: $0.name, table: $0.table, sql: $0.sql) })
        (self.catalog, self.schema, self.unreadable) = (catalog, schema, unreadable)
        pageSize = try connection.firstRow("PRAGMA main.page_size") { $0.integer(0) } ?? 4096
        autoVacuum = try connection.firstRow("PRAGMA main.auto_vacuum") { $0.integer(0) } ?? 0
        let history = Set((historyTables + ToolProfile.tables).map(\.foldedASCII))
        let order = ParentsFirst(schema).order(Set(catalog.tables.keys))
        let virtual = catalog.tables.keys.filter { !order.contains($0) }.sorted()
        let kept = (order + virtual).compactMap { catalog.tables[$0] }.filter(\.keepsRows)
        let ordinary = kept.filter { $0.module == nil }
        let others = kept.filter { $0.module != nil }
        var tables = (ordinary + others).enumerated().map {
            SubsetTable(
                $0.element, number: $0.offset, isHistory: history.contains($0.element.name.foldedASCII))
        }
        for index in tables.indices where tables[index].isVirtual {
            tables[index].leader = Self.leader(of: tables[index].folded, in: schema)
        }
        self.tables = tables
        derived = catalog.tables.values.filter { !$0.keepsRows }.sorted { $0.name < $1.name }
        links = tables.flatMap { schema.parentLinks(of: $0.name) }
    }

    func table(_ name: String) -> SubsetTable? {
        let folded = name.foldedASCII
        return tables.first { $0.folded == folded }
    }

    /// Returns the table whose text a full-text index is of, in SQL, if the index keeps none of its own.
    func indexed(by name: String) -> String? {
        guard derived.contains(where: { $0.name.foldedASCII == name.foldedASCII }) else { return nil }
        let content = schema.virtualTables[name.foldedASCII]?.content
        return content.flatMap { $0.isEmpty ? nil : quotedIfNeeded($0) }
    }

    /// Returns the table whose triggers insert into a virtual one, as full-text and spatial indexes are usually filled.
    private static func leader(of virtual: String, in schema: Schema) -> String? {
        let owners = schema.triggers.values.filter { trigger in
            trigger.event == .insert && trigger.names.contains(virtual)
                && schema.table(trigger.table)?.isWithoutRowid == false
        }.map(\.table.foldedASCII)
        return Set(owners).count == 1 ? owners.first : nil
    }
}
