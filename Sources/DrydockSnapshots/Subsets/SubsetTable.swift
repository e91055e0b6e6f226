import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// A table whose rows a subset has, and how its rows are identified.
struct SubsetTable: Sendable, Hashable {
    /// Its place among the tables, which names the tables of its keys.
    var number: Int
    var name: String
    /// The columns with stored values.
    var columns: [String]
    /// What identifies a row, in SQL: the rowid, or the columns of the primary key; empty where nothing does.
    var key: [String]
    /// The collations of the key's columns, in SQL.
    var keyCollations: [String?]
    /// The name of a rowid that has no column of its own, and that is kept.
    var rowid: String?
    /// The column that is the rowid.
    var alias: String?
    var isVirtual: Bool
    /// Whether it belongs to a migration tool.
    var isHistory: Bool
    /// The columns of a history table that its tool needs, which are never masked: folded.
    var toolColumns: Set<String> = []
    /// The table whose triggers write this virtual one: it has the same rows, by rowid.
    var leader: String?

    var folded: String { name.foldedASCII }
    /// The columns that may say something of people: all but those of a migration tool.
    var maskable: [String] { columns.filter { !toolColumns.contains($0.foldedASCII) } }
    /// The table in the database that is read, and in the one that is made.
    var source: String { "main.\(quotedName(name))" }
    var target: String { "subset.\(quotedName(name))" }
    var isKeyless: Bool { key.isEmpty }

    /// Keys that are chosen.
    var chosen: String { "temp.drydock_chosen_\(number)" }
    /// Those whose parents are still to be chosen, and those for which that is being done.
    var open: String { "temp.drydock_open_\(number)" }
    var work: String { "temp.drydock_work_\(number)" }

    /// Its chosen rows as `c`, in SQL.
    var chosenRows: String {
        isKeyless ? "\(source) AS c" : "\(chosen) AS w CROSS JOIN \(source) AS c ON \(isRow("c", of: "w"))"
    }

    /// The columns of a table of keys.
    var keyColumns: String { key.indices.map { "k\($0)" }.joined(separator: ", ") }

    /// The key of a row, in SQL.
    func key(of alias: String) -> String { key.map { "\(alias).\($0)" }.joined(separator: ", ") }

    /// Whether a row has a key, in SQL. The row is on the left: its column's collation and affinity count.
    func isRow(_ alias: String, of keys: String) -> String {
        key.enumerated().map { "\(alias).\($0.element) = \(keys).k\($0.offset)" }.joined(separator: " AND ")
    }

    /// The statement that makes a table of keys.
    func definition(of name: String) -> String {
        if key.count == 1, keyCollations.isEmpty { return "CREATE TABLE \(name) (k0 INTEGER PRIMARY KEY)" }
        let columns = key.indices.map { "k\($0)" + (keyCollations[$0].map { " COLLATE \($0)" } ?? "") }
        return
            "CREATE TABLE \(name) (\(columns.joined(separator: ", ")), PRIMARY KEY (\(keyColumns))) WITHOUT ROWID"
    }
}

extension SubsetTable {
    init(_ table: Catalog.Table, number: Int, isHistory: Bool) {
        let model = table.model
        self.init(
            number: number, name: table.name, columns: table.storedColumns.map(\.name), key: [],
            keyCollations: [], rowid: nil, alias: model?.rowidAlias?.name, isVirtual: table.module != nil,
            isHistory: isHistory, leader: nil)
        if isHistory { toolColumns = ToolProfile.ownColumns(of: name, columns) }
        if table.kind == .withoutRowid {
            let terms = table.primaryKey.map(\.name)
            key = terms.map(quotedName)
            keyCollations = terms.map { name in model?.column(name)?.collation.map(quotedName) }
            if let own = model?.effectivePrimaryKey, own.count == terms.count {
                keyCollations = own.map { $0.collation.map(quotedName) }
            }
        } else if let alias {
            key = [quotedName(alias)]
        } else if let name = table.rowidName {
            key = [name]
            // The module of an R*Tree has a column for it.
            if !["rtree", "rtree_i32"].contains(table.module ?? "") { rowid = name }
        }
    }
}
