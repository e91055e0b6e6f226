import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema
import Synchronization

/// The schemas that a run has met, so that databases with the same one share what was found out about it.
///
/// A schema is known by its exact content: every row of `sqlite_schema`, byte by byte, the encoding, and the formats of
/// full-text indexes, without which SQLite does not open them. The name of a file counts for nothing. The connections of
/// one run have the same functions, collations and settings, so SQLite makes the same of the same content. Nothing is
/// kept that depends on another row, and no fault: where something is wrong, every database is looked at.
package final class SchemaCache: Sendable {
    /// What a connection's database has for a schema.
    package struct Reading {
        package var catalog: Catalog
        /// The tables that cannot be read, such as those of an unknown module.
        package var unreadable: [Catalog.UnreadableTable] = []
        /// What databases with this schema share; nil where that is not the whole of it.
        package var facts: SchemaFacts?
        /// The same for the same schema, within a run.
        package var identity = 0
    }

    private struct Key: Hashable, Sendable {
        var historyTables: [String]
        var encoding: TextEncoding
        var content: [SQLValue]
    }

    /// More than the versions of most projects. It bounds the memory, not what is checked.
    private static let limit = 512

    /// What a database says about its schema, and what is known of such a one.
    private struct Shape: Sendable {
        let source: CatalogSource
        let key: Key
        let identity: Int
        let facts: SchemaFacts?
    }

    private let known = Mutex<[Key: SchemaFacts]>([:])

    package init() {}

    /// Reads the schema of a connection's database, as ``Catalog/init(reading:historyTables:earlier:unreadable:)``.
    /// - Parameter memo: what all databases with exactly this schema share.
    package func read(
        _ connection: any Connection, historyTables: [String], earlier: Catalog? = nil, memo: Memo? = nil
    ) throws -> Reading {
        var shape = try (memo ?? Memo()).value(isKept: { $0.facts != nil }) {
            try self.shape(connection, historyTables)
        }
        if shape.key.historyTables != historyTables { shape = try self.shape(connection, historyTables) }
        let key = shape.key
        var source = shape.source
        source.marks = try CatalogSource.marks(connection)
        if let facts = shape.facts, earlier.map(facts.catalog.replaces) ?? true {
            var catalog = facts.catalog
            catalog.marks = source.marks
            return Reading(catalog: catalog, facts: facts, identity: shape.identity)
        }
        var reading = Reading(catalog: Catalog(), identity: shape.identity)
        reading.catalog = try Catalog(
            source, on: connection, historyTables: historyTables, earlier: earlier,
            unreadable: &reading.unreadable, rulesFollow: true)
        guard reading.unreadable.isEmpty, reading.catalog.hasTexts(of: source) else { return reading }
        let facts = SchemaFacts(reading.catalog, source)
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll() }
            known[key] = facts
        }
        reading.facts = facts
        return reading
    }

    private func shape(_ connection: any Connection, _ historyTables: [String]) throws -> Shape {
        let source = try CatalogSource(connection)
        let key = Key(
            historyTables: historyTables, encoding: source.encoding,
            content: try source.rows.flatMap(\.content) + source.searchFormats(connection))
        return Shape(
            source: source, key: key, identity: key.hashValue, facts: known.withLock { $0[key] })
    }
}

/// What is known of a schema, whichever database has it.
package final class SchemaFacts: Sendable {
    /// Something that is true of a schema.
    package enum Claim: Hashable, Sendable {
        /// Every view and trigger compiles.
        case compiles
        /// Every column of a table can be read and written, as far as its definition decides that.
        case isReadable(table: String, isEmpty: Bool)
    }

    /// The marks in it are those of the first database that had the schema.
    fileprivate let catalog: Catalog
    private let rows: [SchemaRow]
    /// The folded names of all tables and views.
    let names: Set<String>
    private let claims = Mutex<Set<Claim>>([])
    private let foreignKeys = Mutex<[String: [Int64: ListedForeignKey]]>([:])
    private let parsed = Mutex<Schema?>(nil)

    fileprivate init(_ catalog: Catalog, _ source: CatalogSource) {
        self.catalog = catalog
        rows = source.schemaRows
        names = Set(
            source.rows.filter { $0.kind == "table" || $0.kind == "view" }.map(\.name.foldedASCII))
    }

    /// Returns the foreign keys of a table by their ids, as `PRAGMA foreign_key_list` gives them.
    func foreignKeys(
        of table: String, read: () throws -> [Int64: ListedForeignKey]
    ) rethrows -> [Int64: ListedForeignKey] {
        if let known = foreignKeys.withLock({ $0[table] }) { return known }
        let keys = try read()
        foreignKeys.withLock { $0[table] = keys }
        return keys
    }

    package func knows(_ claim: Claim) -> Bool { claims.withLock { $0.contains(claim) } }

    package func note(_ claim: Claim) { claims.withLock { _ = $0.insert(claim) } }

    /// The parsed definitions.
    package var schema: Schema {
        if let known = parsed.withLock({ $0 }) { return known }
        let schema = SchemaParser().schema(of: rows)
        parsed.withLock { $0 = schema }
        return schema
    }
}

/// A foreign key as SQLite reads it.
struct ListedForeignKey: Sendable {
    var parent: String
    var columns: [String] = []
}

/// What a database says about its schema, as it says it.
struct CatalogSource: Sendable {
    struct Row: Sendable {
        var kind: String
        var name: String
        var table: String
        var sql: String?
        /// All of it, without a byte changed, and whether there is a tree.
        var content: [SQLValue]
        /// Whether it is a view, a trigger or a virtual table.
        var isWithoutTree: Bool { content.last != .integer(1) }
    }

    var encoding = TextEncoding.utf8
    var marks: [HeaderMark: Int64] = [:]
    var rows: [Row] = []

    init(_ connection: any Connection) throws {
        encoding =
            try connection.firstRow("PRAGMA encoding") { TextEncoding(rawValue: $0.string(0)) ?? .utf8 }
            ?? .utf8
        marks = try Self.marks(connection)
        rows = try connection.rows("SELECT type, name, tbl_name, sql, rootpage > 0 FROM main.sqlite_schema") {
            row in
            // Exact values first: reading a text as UTF-8 converts it.
            let content = (0..<5).map(row.value)
            return Row(
                kind: row.string(0), name: row.string(1), table: row.string(2), sql: row.optionalString(3),
                content: content)
        }
    }

    static func marks(_ connection: any Connection) throws -> [HeaderMark: Int64] {
        try HeaderMark.allCases.reduce(into: [:]) { marks, mark in
            marks[mark] = try connection.firstRow("PRAGMA main.\(mark.rawValue)") { $0.integer(0) }
        }
    }

    /// Returns the numbers by which FTS5 decides whether it opens an index; NULL where there is none.
    func searchFormats(_ connection: any Connection) throws -> [SQLValue] {
        try rows.filter {
            $0.kind == "table" && $0.isWithoutTree && $0.sql?.foldedASCII.contains("fts5") == true
        }
        .map { row in
            let config = quotedName(row.name + "_config")
            do {
                return try connection.firstRow("SELECT v FROM main.\(config) WHERE k = 'version'") {
                    $0.value(0)
                } ?? .null
            } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
                // The module looks at a damaged page as if nobody had read it.
                if error.isCorruption { connection.releaseMemory() }
                return .null
            }
        }
    }

    var schemaRows: [SchemaRow] {
        rows.map { SchemaRow(type: $0.kind, name: $0.name, table: $0.table, sql: $0.sql) }
    }
}

extension Catalog {
    /// Whether every table has the text that the database has for it, and not that of an earlier state which differs in
    /// layout or comments.
    fileprivate func hasTexts(of source: CatalogSource) -> Bool {
        source.rows.allSatisfy { row in
            guard row.kind == "table", let table = table(row.name) else { return true }
            return table.text.utf8.elementsEqual((row.sql ?? "").utf8)
        }
    }

    /// Whether reading the schema after an earlier state gives this catalog: no table keeps the text that it had.
    fileprivate func replaces(_ earlier: Catalog) -> Bool {
        (Array(tables.values) + history.values).allSatisfy { table in
            guard let old = earlier.table(table.name), !old.text.utf8.elementsEqual(table.text.utf8) else {
                return true
            }
            return old.text != table.text && old.sql != table.sql
        }
    }
}
