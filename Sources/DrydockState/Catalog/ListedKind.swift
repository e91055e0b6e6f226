import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// What kind of table a name stands for, as `PRAGMA table_list` says it, also where SQLite is too old to have it.
package struct ListedKind: Sendable, Hashable {
    /// `table`, `view`, `virtual` or `shadow`.
    package var type: String
    package var isWithoutRowid: Bool

    package init(type: String, isWithoutRowid: Bool) {
        self.type = type
        self.isWithoutRowid = isWithoutRowid
    }

    /// Those of main, by folded name.
    /// - Throws: ``EngineError``.
    package static func all(_ connection: any Connection) throws -> [String: ListedKind] {
        var kinds: [String: ListedKind] = [:]
        // SQLite compiles every view for that list.
        let views = try connection.rows("SELECT name, sql FROM main.sqlite_schema WHERE type = 'view'") {
            (name: $0.string(0), sql: $0.string(1))
        }
        if ViewExpansion(views).hasTooLarge { return try derived(connection) }
        try connection.forEachRow("PRAGMA main.table_list") { row in
            kinds[row.string(1).foldedASCII] = ListedKind(
                type: row.string(2), isWithoutRowid: row.integer(4) != 0)
        }
        // It lists sqlite_schema at least, since 3.37; before, an unknown PRAGMA has no rows.
        return kinds.isEmpty ? try derived(connection) : kinds
    }

    /// The same from what older versions have: the definitions, and `index_info`, which since 3.30 has the key of a
    /// table without rowid under the table's own name (https://www.sqlite.org/pragma.html#pragma_index_info).
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

    /// What the modules' `xShadowName` answers to.
    private static let shadowNames: [String: Set<String>] = [
        "fts3": ["content", "docsize", "segdir", "segments", "stat"],
        "fts4": ["content", "docsize", "segdir", "segments", "stat"],
        "fts5": ["config", "content", "data", "docsize", "idx"],
        "rtree": ["node", "parent", "rowid"],
        "rtree_i32": ["node", "parent", "rowid"],
        "geopoly": ["node", "parent", "rowid"],
    ]
}
