import DrydockFindings
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteFile
import SQLiteSchema
import Synchronization

/// A database as health checks see it, during one slice.
struct HealthView {
    /// A connection to an overlay, which may be written.
    let connection: any Connection
    let facts: HealthFacts
    /// The path of the real file.
    let path: String
    let state: LiveState
    let isDeep: Bool
    let thresholds: [String: HealthThreshold]

    var catalog: Catalog { facts.catalog }
    var schema: Schema { facts.schema }
    var file: DatabaseFile { facts.file }

    func threshold(of check: some HealthCheck) -> HealthThreshold {
        let (given, own) = (thresholds[check.text.name], check.text.threshold)
        return HealthThreshold(
            warning: given?.warning ?? own?.warning, critical: given?.critical ?? own?.critical)
    }

    /// Whether a table has no row, from its first page; nil where that does not show.
    func isEmpty(_ table: Catalog.Table) -> Bool? {
        guard let root = facts.roots[table.name], let page = try? file.treePage(root) else { return nil }
        return page.kind.isLeaf && page.cellCount == 0
    }

    /// The view for rules of a replay, which check a state.
    var stateView: StateView {
        StateView(connection: connection, catalog: catalog, facts: facts.shared)
    }

    /// Ordinary tables, sorted by name.
    var tables: [Catalog.Table] {
        catalog.tables.values.filter { $0.module == nil }.sorted { $0.name < $1.name }
    }

    /// The table of every tree, including those in which virtual tables keep their data.
    var treeTables: [String] {
        facts.entries.filter { $0.type == "table" && $0.rootPage != 0 }.map(\.name).sorted()
    }
}

/// The facts about the bytes that a slice sees, computed once.
@dynamicMemberLookup
final class HealthFacts: Sendable {
    private let shape: HealthShape
    let file: DatabaseFile
    private let outlines = Mutex<[UInt32: TreeOutline]>([:])
    private let pagesProved = Atomic(false)

    init(_ slice: LiveOverlay.Slice, _ schemas: SchemaCache) throws {
        file = try DatabaseFile(ImagePages(slice.image))
        // Where something is wrong, every database is looked at.
        shape = try (slice.schemaMemo ?? Memo()).value(isKept: { $0.shared != nil }) { [file] in
            try HealthShape(slice.connection, file, schemas)
        }
    }

    subscript<Value>(dynamicMember member: KeyPath<HealthShape, Value>) -> Value { shape[keyPath: member] }

    /// Whether a check has found the pages of the whole file undamaged.
    var isProved: Bool { pagesProved.load(ordering: .relaxed) }

    func noteProved() { pagesProved.store(true, ordering: .relaxed) }

    func outline(of root: UInt32) throws -> TreeOutline {
        if let known = outlines.withLock({ $0[root] }) { return known }
        let new = try TreeOutline(file, root: root)
        outlines.withLock { $0[root] = new }
        return new
    }
}

/// What a health check computes from a schema and its root pages alone, not from rows.
struct HealthShape: Sendable {
    /// Without the marks, which each file has of its own.
    let catalog: Catalog
    /// The indexes that a statement created, by folded table.
    let indexes: [String: [Catalog.Object]]
    let unreadable: [Catalog.UnreadableTable]
    let schema: Schema
    let entries: [SchemaEntry]
    /// The root pages of tables, by name.
    let roots: [String: UInt32]
    /// What other databases with the same schema share.
    let shared: SchemaFacts?
    /// The entries with a tree, by their table.
    let trees: [String: [SchemaEntry]]
    /// The findings of checks that look at the definitions alone, and a query of one that does not.
    let duplicateIndexes = Memo()
    let keysWithoutIndex = Memo()
    let rowidQueries = Memo()

    init(_ connection: any Connection, _ file: DatabaseFile, _ schemas: SchemaCache) throws {
        let reading = try schemas.read(connection, historyTables: [])
        var catalog = reading.catalog
        catalog.marks = [:]
        self.catalog = catalog
        (unreadable, shared) = (reading.unreadable, reading.facts)
        indexes = catalog.indexesByTable
        schema = try reading.facts?.schema ?? Self.schema(connection)
        entries = try file.schema()
        trees = Dictionary(grouping: entries.filter { $0.rootPage != 0 }, by: \.tableName)
        roots = Dictionary(
            entries.filter { $0.type == "table" && $0.rootPage != 0 }.map { ($0.name, $0.rootPage) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func schema(_ connection: any Connection) throws -> Schema {
        let rows = try connection.rows("SELECT type, name, tbl_name, sql FROM main.sqlite_schema") {
            SchemaRow(type: $0.string(0), name: $0.string(1), table: $0.string(2), sql: $0.optionalString(3))
        }
        return SchemaParser().schema(of: rows)
    }
}
