import DrydockMigrations
import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// The schema of a database at one moment.
package struct Catalog: Sendable {
    /// Tables by folded name, without SQLite's own and the shadow tables of virtual tables.
    package var tables: [String: Table] = [:]
    /// Tables that belong to the migration tool, by folded name; they are not part of the schema.
    var history: [String: Table] = [:]
    /// Indexes, triggers and views by kind and folded name, without those that SQLite creates itself.
    package var objects: [ObjectID: Object] = [:]
    package var encoding: TextEncoding = .utf8
    /// `PRAGMA user_version` and `PRAGMA application_id`.
    package var marks: [HeaderMark: Int64] = [:]
    /// Whether SQLite keeps AUTOINCREMENT marks in this database.
    package var hasSequences = false
    /// The folded names of the virtual tables that cannot be opened, as those of a missing module.
    var unopened: Set<String> = []

    /// Makes the schema of an empty database.
    package init() {}

    package func table(_ name: String) -> Table? { tables[name.foldedASCII] ?? history[name.foldedASCII] }

    /// The folded names of all tables, those of the migration tool included.
    package var tableNames: [String] { Array(tables.keys) + history.keys }

    package struct ObjectID: Hashable, Sendable {
        package var kind: Object.Kind
        package var name: String

        package init(_ kind: Object.Kind, _ name: String) {
            self.kind = kind
            self.name = name.foldedASCII
        }
    }

    package struct Object: Sendable {
        package enum Kind: String, Sendable { case table, index, trigger, view }

        package var kind: Kind
        package var name: String
        /// The table that an index or trigger belongs to.
        package var tableName: String
        package var sql: NormalizedSQL
        /// The statement as `sqlite_schema` has it.
        package var text: String

        init(kind: Kind, name: String, tableName: String, sql: NormalizedSQL, text: String) {
            (self.kind, self.name, self.tableName, self.sql, self.text) = (kind, name, tableName, sql, text)
        }

        /// Takes a table as an object, to look at its statement alone.
        package init(_ table: Table) {
            self.init(kind: .table, name: table.name, tableName: table.name, sql: table.sql, text: table.text)
        }
    }

    package struct Column: Sendable, Hashable {
        package var name: String
        /// Position in the primary key, counted from 1; 0 for a column outside it.
        package var keyPosition: Int
        /// Whether the value is computed from other columns.
        package var isGenerated: Bool

        package init(name: String, keyPosition: Int, isGenerated: Bool) {
            self.name = name
            self.keyPosition = keyPosition
            self.isGenerated = isGenerated
        }
    }

    package struct Table: Sendable {
        package enum Kind: Sendable, Hashable {
            case ordinary
            case withoutRowid
            /// A virtual table that stores its own rows.
            case virtual(module: String)
            /// A virtual table with content that is derived from another source.
            case derived(module: String)
            /// A full-text table without its text: the index is the only copy of the words.
            case contentless(module: String)
        }

        package var name: String
        package var kind: Kind
        package var columns: [Column]
        package var sql: NormalizedSQL
        /// The statement as `sqlite_schema` has it.
        package var text: String
        package var isAutoincrement: Bool
        /// Whether a stand-in splits its words, so that the index of the app's has other entries.
        var hasStandInTokenizer = false
        let definition = ParsedDefinition()

        package init(
            name: String, kind: Kind, columns: [Column], sql: NormalizedSQL, text: String,
            isAutoincrement: Bool
        ) {
            self.name = name
            self.kind = kind
            self.columns = columns
            self.sql = sql
            self.text = text
            self.isAutoincrement = isAutoincrement
        }

        /// The columns with stored values.
        package var storedColumns: [Column] { columns.filter { !$0.isGenerated } }

        package func column(_ name: String) -> Column? {
            let folded = name.foldedASCII
            return columns.first { $0.name.foldedASCII == folded }
        }

        package var primaryKey: [Column] {
            columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
        }

        /// A name by which the rowid can be selected; nil where there is no rowid or columns hide all of its names
        /// (https://www.sqlite.org/rowidtable.html).
        package var rowidName: String? {
            guard kind != .withoutRowid else { return nil }
            return ["rowid", "_rowid_", "oid"].first { column($0) == nil }
        }

        /// Whether the table stores rows that can be read.
        package var keepsRows: Bool {
            switch kind {
            case .derived, .contentless: false
            default: true
            }
        }

        /// Whether the table has an index but no text from which the index could be created again.
        package var isContentless: Bool {
            if case .contentless = kind { true } else { false }
        }

        package var module: String? {
            switch kind {
            case .virtual(let module), .derived(let module), .contentless(let module): module
            default: nil
            }
        }
    }
}

extension Catalog.Table {
    /// The parsed definition; nil where it is not understood or the table is virtual.
    package var model: Table? { schema.table(name) }

    package var foreignKeys: [ForeignKey] { model?.foreignKeys ?? [] }
}

extension Catalog {
    /// Reads the schema of a connection's database.
    ///
    /// Columns come from `table_xinfo`, kinds from `table_list`
    /// (https://www.sqlite.org/pragma.html#pragma_table_list), the rest from `sqlite_schema`.
    /// A table with the same text as in an earlier catalog is taken from there.
    /// - Parameter unreadable: receives the tables that cannot be read, such as those of an unknown module.
    package init(
        reading connection: any Connection, historyTables: [String], earlier: Catalog? = nil,
        unreadable: inout [UnreadableTable]
    ) throws {
        try self.init(
            CatalogSource(connection), on: connection, historyTables: historyTables, earlier: earlier,
            unreadable: &unreadable)
    }

    /// - Parameter rulesFollow: whether rules look at the tables, and say of an index without its format what is wrong.
    init(
        _ source: CatalogSource, on connection: any Connection, historyTables: [String], earlier: Catalog?,
        unreadable: inout [UnreadableTable], rulesFollow: Bool = false
    ) throws {
        (encoding, marks) = (source.encoding, source.marks)
        let kinds = try ListedKind.all(connection)
        // Whether a module opens its tables decides what the tables beside them are.
        let isVirtual: (CatalogSource.Row) -> Bool = { kinds[$0.name.foldedASCII]?.type == "virtual" }
        let rows = source.rows.filter(isVirtual) + source.rows.filter { !isVirtual($0) }
        let history = Set(historyTables.map(\.foldedASCII))
        let virtualTables = Dictionary(
            rows.filter(isVirtual).compactMap { row in
                Self.virtualTable(row).map { (row.name.foldedASCII, $0) }
            }, uniquingKeysWith: { first, _ in first })
        // The list opens virtual tables too, and passes over the damage that it meets.
        if rulesFollow, earlier == nil, !virtualTables.isEmpty { connection.releaseMemory() }
        let tables = rows.filter { $0.kind == "table" }.map(\.name)
        let alike = Dictionary(grouping: tables, by: \.foldedASCII).filter { $0.value.count > 1 }
        for row in rows {
            let folded = row.name.foldedASCII
            if alike[folded] != nil, row.kind == "table" {
                unreadable.append(
                    UnreadableTable(name: row.name, error: Self.alikeNames("another table's name differs")))
                continue
            }
            if folded == "sqlite_sequence" { hasSequences = true }
            guard !folded.hasPrefix("sqlite_"), let kind = Object.Kind(rawValue: row.kind), let sql = row.sql
            else { continue }
            let isHistory = history.contains(folded) || history.contains(row.table.foldedASCII)
            // SQLite goes by the name only; a table that the module did not create belongs to the user.
            if kinds[folded]?.type == "shadow", !isOfMissingModule(folded),
                Self.isMadeByModule(row, virtualTables)
            {
                continue
            }
            guard kind == .table else {
                guard !isHistory else { continue }
                let id = ObjectID(kind, row.name)
                if let known = earlier?.objects[id], known.name == row.name, known.text == sql,
                    known.tableName == row.table
                {
                    objects[id] = known
                } else {
                    objects[id] = Object(
                        kind: kind, name: row.name, tableName: row.table, sql: NormalizedSQL(sql: sql),
                        text: sql)
                }
                continue
            }
            let list = isHistory ? \Catalog.history : \Catalog.tables
            if let known = earlier?[keyPath: list][folded], known.name == row.name, known.text == sql {
                self[keyPath: list][folded] = known
                continue
            }
            let normalized = NormalizedSQL(sql: sql)
            if let known = earlier?[keyPath: list][folded], known.name == row.name, known.sql == normalized {
                self[keyPath: list][folded] = known
                continue
            }
            do {
                self[keyPath: list][folded] = try Self.readTable(row, normalized, kinds[folded], connection)
            } catch let error as EngineError
                where kinds[folded]?.type == "virtual"
                && (error.isCorruption || rulesFollow && error.isOfOldFormat)
            {
                // The module does not open a damaged table. Where its columns are known nevertheless, everything else is
                // read, and the rules say what is wrong: as with the same schema in another database.
                if error.isCorruption { connection.releaseMemory() }
                if let table = Self.damagedTable(row, normalized, kinds[folded]) {
                    self[keyPath: list][folded] = table
                } else {
                    unreadable.append(UnreadableTable(name: row.name, error: error))
                }
            } catch let error as EngineError
                where !error.isInterrupt && !error.isCorruption && !error.isOutage
            {
                if kinds[folded]?.type == "virtual" { unopened.insert(folded) }
                if !isHistory {
                    unreadable.append(UnreadableTable(name: row.name, error: error.withReason))
                }
            }
        }
    }

    /// To Swift, names are equal that differ only in Unicode's normal form, as `é` in one scalar and in two; to SQLite
    /// they are not (https://www.unicode.org/reports/tr15/).
    private static func alikeNames(_ what: String) -> EngineError {
        EngineError(
            .error,
            "\(what) only in how Unicode composes letters, and Drydock cannot tell such names apart")
    }

    package struct UnreadableTable: Sendable {
        package var name: String
        package var error: EngineError
    }

    /// Splits the catalog into the tables of the tool together with the named tables of the app (folded), and the rest.
    package func split(sharing shared: Set<String>) -> (history: Catalog, rest: Catalog) {
        var (inner, rest) = (self, self)
        inner.tables = history.merging(tables.filter { shared.contains($0.key) }) { own, _ in own }
        inner.history = [:]
        rest.tables = tables.filter { !shared.contains($0.key) }
        rest.history = [:]
        return (inner, rest)
    }

    /// Returns the catalog without some tables (folded names) and the objects on them.
    package func without(_ names: Set<String>) -> Catalog {
        var catalog = self
        catalog.tables = tables.filter { !names.contains($0.key) }
        catalog.objects = objects.filter { !names.contains($0.value.tableName.foldedASCII) }
        return catalog
    }

    private static func readTable(
        _ row: CatalogSource.Row, _ sql: NormalizedSQL, _ listed: ListedKind?, _ connection: any Connection
    ) throws -> Table {
        let virtualTable = listed?.type == "virtual" ? virtualTable(row) : nil
        // FTS4's languageid= names a hidden column that is stored (https://www.sqlite.org/fts3.html#the_languageid_option).
        let stored = virtualTable?.option("languageid")?.foldedASCII
        let columns = try connection.rows("PRAGMA main.table_xinfo(\(quotedName(row.name)))") { info in
            // 1: a hidden column of a virtual table; 2 and 3: generated.
            let hidden = info.integer(6)
            return (
                Column(
                    name: info.string(1), keyPosition: Int(info.integer(5)),
                    isGenerated: hidden >= 2),
                hidden == 1 && info.string(1).foldedASCII != stored
            )
        }.filter { !$0.1 }.map(\.0)
        guard Set(columns.map(\.name.foldedASCII)).count == columns.count else {
            throw alikeNames("the names of two columns differ")
        }
        var kind: Table.Kind = listed?.isWithoutRowid == true ? .withoutRowid : .ordinary
        if let module = virtualTable?.module.foldedASCII, virtualTable?.isFullText == false,
            try connection.standsIn(for: module)
        {
            throw EngineError(.error, SQLiteMessage.noSuchModule.text(module))
        }
        if listed?.type == "virtual" {
            kind = virtualKind(virtualTable)
            // SQLite refuses this statement when the module or one of its arguments is unknown.
            _ = try connection.prepare("SELECT * FROM main.\(quotedName(row.name))")
        }
        var table = Table(
            name: row.name, kind: kind, columns: columns, sql: sql, text: row.sql ?? "",
            isAutoincrement: kind == .ordinary && sql.items.contains(.keyword("autoincrement")))
        table.hasStandInTokenizer = try virtualTable?.tokenizer.map(connection.standsIn) ?? false
        return table
    }

    /// Returns what the definition of a virtual table says by itself; nil if that is not all of its columns.
    private static func damagedTable(
        _ row: CatalogSource.Row, _ sql: NormalizedSQL, _ listed: ListedKind?
    ) -> Table? {
        guard listed?.type == "virtual", let virtualTable = virtualTable(row),
            let columns = virtualTable.spatialColumns ?? virtualTable.fullTextColumns
        else { return nil }
        return Table(
            name: row.name, kind: virtualKind(virtualTable),
            columns: columns.map { Column(name: $0, keyPosition: 0, isGenerated: false) }, sql: sql,
            text: row.sql ?? "", isAutoincrement: false)
    }
}

extension EngineError {
    /// Whether FTS5 misses the number of an index's format, or finds one that no version of SQLite writes any more.
    fileprivate var isOfOldFormat: Bool {
        SQLiteMessage.searchFormat(in: message).map { $0 < FullTextRepair.format } ?? false
    }

    /// The error, with the reason where an index may be of a newer SQLite.
    fileprivate var withReason: EngineError {
        var error = self
        error.message = withoutAdvice
        if SQLiteMessage.searchFormat(in: message) != nil, !isOfOldFormat {
            error.message += ": a newer SQLite may have written it"
        }
        return error
    }
}

extension NormalizedSQL {
    /// Whether the text contains a keyword or name, given in lower case.
    package func containsWord(_ word: String) -> Bool {
        items.contains { item in
            switch item {
            case .keyword(word), .word(word): true
            default: false
            }
        }
    }
}

extension Catalog {
    /// Reads a database's schema without the tables that cannot be read.
    package init(_ connection: any Connection, without tables: [String], earlier: Catalog?) throws {
        var unreadable: [Catalog.UnreadableTable] = []
        try self.init(
            reading: connection, historyTables: tables, earlier: earlier, unreadable: &unreadable)
    }
}
