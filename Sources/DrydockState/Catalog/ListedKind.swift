import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// The kind of table that a name refers to, as `PRAGMA table_list` gives it, also for SQLite versions without it.
package struct ListedKind: Sendable, Hashable {
    /// `table`, `view`, `virtual` or `shadow`.
    package var type: String
    package var isWithoutRowid: Bool

    package init(type: String, isWithoutRowid: Bool) {
        self.type = type
        self.isWithoutRowid = isWithoutRowid
    }

    /// Returns the kinds of all tables in `main`, by folded name.
    /// - Throws: ``EngineError``.
    package static func all(_ connection: any Connection) throws -> [String: ListedKind] {
        var kinds: [String: ListedKind] = [:]
        // SQLite compiles every view to produce that list.
        let views = try connection.rows("SELECT name, sql FROM main.sqlite_schema WHERE type = 'view'") {
            (name: $0.string(0), sql: $0.string(1))
        }
        if ViewExpansion(views).hasTooLarge { return try derived(connection) }
        try connection.forEachRow("PRAGMA main.table_list") { row in
            kinds[row.string(1).foldedASCII] = ListedKind(
                type: row.string(2), isWithoutRowid: row.integer(4) != 0)
        }
        // Since 3.37 the list contains at least `sqlite_schema`; before, the PRAGMA is unknown and returns no rows.
        return kinds.isEmpty ? try derived(connection) : kinds
    }

    /// Derives the same from what older versions have: the definitions, and `index_info`, which since 3.30 lists the
    /// key of a table without rowid under the table's name (https://www.sqlite.org/pragma.html#pragma_index_info).
    static func derived(_ connection: any Connection) throws -> [String: ListedKind] {
        var kinds: [String: ListedKind] = [:]
        var modules: [String: String] = [:]
        let rows = try connection.rows(
            "SELECT type, name, sql FROM main.sqlite_schema WHERE type IN ('table', 'view')"
        ) { (type: $0.string(0), name: $0.string(1), sql: $0.string(2)) }
        for row in rows {
            let folded = row.name.foldedASCII
            if let module = module(of: row.sql) {
                modules[folded] = module
                kinds[folded] = ListedKind(type: "virtual", isWithoutRowid: false)
            } else {
                let key = "PRAGMA main.index_info(\(quotedName(row.name)))"
                let isWithoutRowid = try row.type == "table" && connection.firstRow(key) { _ in true } == true
                kinds[folded] = ListedKind(type: row.type, isWithoutRowid: isWithoutRowid)
            }
        }
        for (name, kind) in kinds where kind.type == "table" {
            guard let cut = name.lastIndex(of: "_"), let module = modules[String(name[..<cut])],
                shadowNames[module]?.contains(String(name[name.index(after: cut)...])) == true
            else { continue }
            kinds[name]?.type = "shadow"
        }
        return kinds
    }

    private static func module(of sql: String) -> String? {
        guard
            case .createVirtualTable(_, let module)? = SQLSource(name: "schema", sql).statements().first?
                .action
        else { return nil }
        return module.foldedASCII
    }

    /// The suffixes for which the modules' `xShadowName` returns true.
    private static let shadowNames: [String: Set<String>] = [
        "fts3": ["content", "docsize", "segdir", "segments", "stat"],
        "fts4": ["content", "docsize", "segdir", "segments", "stat"],
        "fts5": ["config", "content", "data", "docsize", "idx"],
        "rtree": ["node", "parent", "rowid"],
        "rtree_i32": ["node", "parent", "rowid"],
        "geopoly": ["node", "parent", "rowid"],
    ]
}
