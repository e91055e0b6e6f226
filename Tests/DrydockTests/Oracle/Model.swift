@testable import DrydockTestSupport

/// What the generator of migrations knows of a database: which table and column contains which of the users' data.
struct Model {
    var tables: [ModelTable] = []
    private var lastID = 0

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    subscript(id: Int) -> ModelTable? {
        get { tables.first { $0.id == id } }
        set {
            tables.removeAll { $0.id == id }
            if let newValue { tables.append(newValue) }
        }
    }

    func table(_ name: String) -> ModelTable? { tables.first { $0.name.lowercased() == name.lowercased() } }

    /// Returns the other tables that reference a table by its name.
    func children(of table: ModelTable) -> [ModelTable] {
        tables.filter { child in
            child.id != table.id
                && child.foreignKeys.contains { $0.parent.lowercased() == table.name.lowercased() }
        }
    }

    /// Applies ALTER TABLE RENAME TO, including references.
    mutating func rename(_ id: Int, to name: String) {
        guard let old = self[id]?.name else { return }
        for index in tables.indices {
            if tables[index].id == id { tables[index].name = name }
            for key in tables[index].foreignKeys.indices
            where tables[index].foreignKeys[key].parent.lowercased() == old.lowercased() {
                tables[index].foreignKeys[key].parent = name
            }
        }
    }

    mutating func renameColumn(_ column: Int, of id: Int, to name: String) {
        guard let table = self[id], let old = table.column(column)?.name else { return }
        for index in tables.indices {
            for key in tables[index].foreignKeys.indices
            where tables[index].foreignKeys[key].parent.lowercased() == table.name.lowercased() {
                let names = tables[index].foreignKeys[key].parentColumns
                tables[index].foreignKeys[key].parentColumns = names.map { $0 == old ? name : $0 }
            }
            guard tables[index].id == id else { continue }
            for place in tables[index].columns.indices where tables[index].columns[place].id == column {
                tables[index].columns[place].name = name
            }
        }
    }
}

struct ModelTable {
    enum Key {
        case none
        case integer(Int, isAutoincrement: Bool)
        case columns([Int], isWithoutRowid: Bool)
    }

    struct ForeignKey {
        var columns: [Int]
        var parent: String
        var parentColumns: [String]
        var actions: String
    }

    let id: Int
    var name: String
    var columns: [ModelColumn]
    var key = Key.none
    var foreignKeys: [ForeignKey] = []
    /// Column sets of UNIQUE constraints.
    var uniques: [[Int]] = []
    var isStrict = false
    /// The definition of a full-text table.
    var module: String?

    var quoted: String { quote(name) }
    var stored: [ModelColumn] { columns.filter { $0.generated == nil } }

    func column(_ id: Int) -> ModelColumn? { columns.first { $0.id == id } }

    var keyColumns: [Int] {
        switch key {
        case .none: []
        case .integer(let column, _): [column]
        case .columns(let columns, _): columns
        }
    }

    /// Columns that a generated column, the key or a foreign key needs.
    var needed: Set<Int> {
        Set(
            keyColumns + foreignKeys.flatMap(\.columns) + uniques.flatMap { $0 }
                + columns.flatMap { $0.generated?.sources ?? [] })
    }

    func definition(named name: String? = nil) -> String {
        if let module { return "CREATE VIRTUAL TABLE \(quote(name ?? self.name)) USING \(module)" }
        func list(_ ids: [Int]) -> String {
            ids.compactMap { column($0)?.quoted }.joined(separator: ", ")
        }
        var parts = columns.map { $0.definition(in: self) }
        var suffixes: [String] = []
        switch key {
        case .none: break
        case .integer: break
        case .columns(let columns, let isWithoutRowid):
            parts.append("PRIMARY KEY (\(list(columns)))")
            if isWithoutRowid { suffixes.append("WITHOUT ROWID") }
        }
        parts += uniques.map { "UNIQUE (\(list($0)))" }
        parts += foreignKeys.map { key in
            let columns = key.parentColumns.map(quote).joined(separator: ", ")
            return
                "FOREIGN KEY (\(list(key.columns))) REFERENCES \(quote(key.parent))\(columns.isEmpty ? "" : "(\(columns))")\(key.actions)"
        }
        if isStrict { suffixes.append("STRICT") }
        let suffix = suffixes.isEmpty ? "" : " " + suffixes.joined(separator: ", ")
        return "CREATE TABLE \(quote(name ?? self.name))(\(parts.joined(separator: ", ")))\(suffix)"
    }
}

struct ModelColumn {
    struct Generated {
        /// An expression with `{0}` and `{1}` in place of the sources.
        var template: String
        /// Ids of columns in the same table.
        var sources: [Int]
        var isStored: Bool
    }

    /// The id of this column in this table.
    let id: Int
    var name: String
    var type: String
    /// The app's data in the column, which a copy of the table shares.
    var origins: Set<Int>
    var generated: Generated?
    var isNotNull = false
    var defaultValue: String?
    var collation: String?
    /// A condition with `{}` in place of the column.
    var check: String?

    var quoted: String { quote(name) }

    func definition(in table: ModelTable) -> String {
        var text = quoted + (type.isEmpty ? "" : " " + type)
        if case .integer(id, let isAutoincrement) = table.key {
            text += " PRIMARY KEY" + (isAutoincrement ? " AUTOINCREMENT" : "")
        }
        if isNotNull { text += " NOT NULL" }
        if let defaultValue { text += " DEFAULT \(defaultValue)" }
        if let collation { text += " COLLATE \(collation)" }
        if let check { text += " CHECK(\(check.replacing("{}", with: quoted)))" }
        if let generated {
            text += " AS (\(expression(generated, table)))" + (generated.isStored ? " STORED" : "")
        }
        return text
    }

    func expression(_ generated: Generated, _ table: ModelTable) -> String {
        var text = generated.template
        for (place, source) in generated.sources.enumerated() {
            text = text.replacing("{\(place)}", with: table.column(source)?.quoted ?? "NULL")
        }
        return text
    }
}

/// Returns a name as every SQLite reads it, quoted only where necessary.
func quote(_ name: String) -> String {
    let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    let isKeyword = ["order", "group", "select", "table", "index", "values", "default"].contains(
        name.lowercased())
    if isPlain && !isKeyword && name.first?.isNumber == false { return name }
    return "\"" + name.replacing("\"", with: "\"\"") + "\""
}
