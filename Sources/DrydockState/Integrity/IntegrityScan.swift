import DatabaseEngine
import SQLiteFile
import SQLiteSchema

/// A look at all pages of a database or of some tables, on all cores, which proves that they are whole or leaves the
/// verdict to SQLite.
///
/// It sees what `PRAGMA integrity_check` sees: each page has one use, each tree its order, each row its entry in each index
/// and each entry its row (``RowSum``), no NULL where there is NOT NULL, no wrong type in a STRICT table. It does not say
/// what is wrong: where something may be, SQLite's own check is asked, for the table or for the file.
struct IntegrityScan {
    /// What is wrong with the pages; then nothing else is known.
    private(set) var damage: FileDamage?
    /// The tables that only SQLite can judge, sorted.
    private(set) var others: [String] = []
    /// The parents of all pages; nil where not all was looked at, or something is wrong.
    private(set) var parents: PageParents?

    /// - Parameters:
    ///   - connection: shows the same database as the file.
    ///   - tables: which tables are looked at, with their indexes and the schema table; nil for the whole file, with the
    ///     pages that no tree uses.
    ///   - hashing: what is hashed in the same pass.
    /// - Throws: ``EngineError``, also if the connection is interrupted; ``OverlayError`` if what is hashed cannot be read.
    init(
        _ file: DatabaseFile, _ catalog: Catalog, _ connection: any Connection, tables: [String]? = nil,
        hashing: ContentHashing? = nil
    ) throws {
        do {
            let trees = try Self.trees(file, catalog, connection, of: tables)
            let work = try ScanWork(file, trees, hashing: hashing)
            let found = try work.run { try connection.checkInterrupt() }
            if tables == nil {
                var account = PageAccount(found.parents)
                try account.finish(file, roots: trees.map(\.root))
                parents = found.parents
            }
            var others = try Self.doubtful(trees, found)
            for tree in trees {
                guard let table = tree.table, case .rows(let plan) = tree.content, let checks = plan.checks
                else { continue }
                if try !others.contains(table) && Self.isBroken(checks.sql, connection) {
                    others.insert(table)
                }
            }
            if let tables {
                let seen = Set(trees.compactMap { $0.table?.foldedASCII })
                others.formUnion(tables.filter { !seen.contains($0.foldedASCII) })
            } else if SQLiteLibrary.checksVirtualTables {
                others.formUnion(catalog.tables.values.filter { $0.module != nil }.map(\.name))
            }
            self.others = others.sorted()
        } catch let found as FileDamage {
            damage = found
        }
    }

    /// Returns the trees of the file, or those of some tables and of the schema table.
    static func trees(
        _ file: DatabaseFile, _ catalog: Catalog, _ connection: any Connection, of tables: [String]? = nil
    ) throws -> [ScannedTree] {
        let wanted = tables.map { Set($0.map(\.foldedASCII)) }
        let withTree = try file.schema().filter { entry in
            entry.rootPage != 0 && wanted?.contains(entry.tableName.foldedASCII) ?? true
        }
        let indexes = Dictionary(
            grouping: withTree.filter { $0.type == "index" }, by: \.tableName.foldedASCII)
        var trees = [ScannedTree(root: 1, table: nil, holdsRowids: true, content: .pages)]
        for entry in withTree where entry.type == "table" {
            let own = indexes[entry.name.foldedASCII] ?? []
            let model = model(of: entry, catalog)
            let plan = try model.flatMap { try ScannedTable($0, file, connection, indexes: own) }
            // Tables of SQLite's own have no constraints.
            let isOfSQLite = own.isEmpty && entry.name.foldedASCII.hasPrefix("sqlite_")
            let content =
                plan.map(ScannedTree.Content.rows) ?? (isOfSQLite ? .pages : .unknown)
            let holdsRowids = plan.map { $0.order == nil } ?? (isOfSQLite ? true : nil)
            trees.append(
                ScannedTree(
                    root: entry.rootPage, table: entry.name, holdsRowids: holdsRowids, content: content))
            for index in own {
                let number = plan?.indexes.firstIndex { $0.root == index.rootPage }
                let content = number.flatMap { number in
                    plan.map { ScannedTree.Content.entries($0.indexes[number], number: number) }
                }
                trees.append(
                    ScannedTree(
                        root: index.rootPage, table: entry.name, holdsRowids: false,
                        content: content ?? .pages))
            }
        }
        // SQLite writes no index without its table.
        let roots = Set(trees.map(\.root))
        for entry in withTree where !roots.contains(entry.rootPage) {
            throw FileDamage(entry.rootPage, .schemaRow)
        }
        return trees
    }

    /// Returns a table's definition; nil where it is not understood.
    private static func model(of entry: SchemaEntry, _ catalog: Catalog) -> Table? {
        if let table = catalog.table(entry.name) { return RecordLayout(table) == nil ? nil : table.model }
        // The catalog leaves out the tables in which a virtual table keeps its data.
        let row = SchemaRow(type: entry.type, name: entry.name, table: entry.tableName, sql: entry.sql)
        return SchemaParser().schema(of: [row]).table(entry.name)
    }

    /// Returns the tables that are not proved to be whole.
    private static func doubtful(
        _ trees: [ScannedTree], _ found: ScanWork.Found
    ) throws -> Set<String> {
        var others: Set<String> = []
        var expected: [String: [RowSum]] = [:]
        for (number, tree) in trees.enumerated() {
            guard let table = tree.table else { continue }
            let seen = found.trees[number]
            switch tree.content {
            case .unknown: others.insert(table)
            case .pages: break
            case .rows:
                expected[table] = seen.sums
                if seen.isDoubtful { others.insert(table) }
            case .entries(_, let number):
                guard let sum = seen.sums.first else { continue }
                if sum != expected[table]?[number] { others.insert(table) }
            }
        }
        return others
    }

    /// Returns whether a query has a row, or cannot be answered.
    static func isBroken(_ sql: String, _ connection: any Connection) throws -> Bool {
        do {
            return try connection.firstRow(sql) { _ in true } ?? false
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            return true
        }
    }
}

/// A tree of the file, and what is to be read of it.
struct ScannedTree: Sendable {
    enum Content: Sendable {
        /// Its pages and records; nothing is known of their meaning.
        case pages
        /// Its pages; SQLite has to look at the table.
        case unknown
        case rows(ScannedTable)
        case entries(ScannedTable.ScannedIndex, number: Int)
    }

    var root: UInt32
    /// The table that it belongs to; nil for the schema table.
    var table: String?
    /// Whether its rows have rowids, as those of most tables and not those of indexes; nil where SQLite has to look. A tree
    /// without an entry does not show otherwise that its root is of another kind.
    var holdsRowids: Bool?
    var content: Content
}
