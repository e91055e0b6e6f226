import TestTools

/// A schema that can be edited and printed; an object that loses its columns in an edit is not printed.
struct RandomSchema {
    struct Column {
        var name: String
        var type = ""
        /// `NOT NULL`, `COLLATE`, `DEFAULT` and similar clauses, as SQL by kind.
        var clauses: [String: String] = [:]
        var parent: Parent?
        var generated: (of: String, isStored: Bool)?
    }

    struct Parent {
        var table: String
        var column: String?
        var actions: String
    }

    struct Table {
        var name: String
        var columns: [Column]
        /// The columns of the table's PRIMARY KEY.
        var key: [String] = []
        /// The clause of an INTEGER PRIMARY KEY `id`, if there is one.
        var alias: String?
        var uniques: [(columns: [String], suffix: String)] = []
        var checks: [(column: String, text: String)] = []
        var isStrict = false
        var isWithoutRowid = false
    }

    enum Kind { case index, view, trigger, search }

    /// An index, view, trigger or full-text index: `%t` is its table, `%u` another table, `%a` and `%b` its columns.
    struct Dependent {
        var kind: Kind
        var name: String
        var text: String
        var table: String
        var other: String
        var a: String
        var b: String
    }

    var tables: [Table] = []
    var dependents: [Dependent] = []
    var userVersion = 0
    /// Renames since `forgetRenames`: new table names by old ones, new column names by old table and column.
    var renamedTables: [String: String] = [:]
    var renamedColumns: [String: [String: String]] = [:]
    private var counter = 0

    static func quoted(_ name: String) -> String {
        // A quote before a combining mark is no `Character` of its own.
        "\"" + name.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }

    /// Returns a name that is not used yet; sometimes one that must be quoted.
    mutating func newName(_ prefix: String, _ random: inout SeededGenerator) -> String {
        counter += 1
        let odd = ["order ", "x y", "q\"r", "it's", "Mixed", "new_", "é", "select"]
        return random.chance(15) ? random.pick(odd) + prefix + "\(counter)" : prefix + "\(counter)"
    }

    /// Like `newName`, but sometimes a name that columns of other tables, or tables, may have.
    private mutating func columnName(_ prefix: String, _ random: inout SeededGenerator) -> String {
        random.chance(25) ? random.pick(["a", "b", "t1", "rowid"]) : newName(prefix, &random)
    }

    // MARK: - Printing

    var statements: [String] {
        tables.map(text) + dependents.compactMap(text)
            + (userVersion == 0 ? [] : ["PRAGMA user_version = \(userVersion)"])
    }

    private func text(_ table: Table) -> String {
        var lines: [String] = []
        if let alias = table.alias { lines.append("id INTEGER PRIMARY KEY" + alias) }
        lines += table.columns.map(text)
        if !table.key.isEmpty { lines.append("PRIMARY KEY (" + list(table.key) + ")") }
        for unique in table.uniques { lines.append("UNIQUE (" + list(unique.columns) + ")" + unique.suffix) }
        for check in table.checks {
            lines.append(check.text.replacing("%a", with: Self.quoted(check.column)))
        }
        let options = (table.isStrict ? ["STRICT"] : []) + (table.isWithoutRowid ? ["WITHOUT ROWID"] : [])
        return "CREATE TABLE \(Self.quoted(table.name)) (\(lines.joined(separator: ", "))) "
            + options.joined(separator: ", ")
    }

    private func text(_ column: Column) -> String {
        var parts = [Self.quoted(column.name), column.type]
        parts += column.clauses.sorted { $0.key < $1.key }.map {
            $0.value.replacing("%a", with: Self.quoted(column.name))
        }
        if let parent = column.parent {
            let target = parent.column.map { "(" + Self.quoted($0) + ")" } ?? ""
            parts.append("REFERENCES \(Self.quoted(parent.table))\(target) \(parent.actions)")
        }
        if let generated = column.generated {
            parts.append(
                "AS (\(Self.quoted(generated.of)) || 'x') \(generated.isStored ? "STORED" : "VIRTUAL")")
        }
        return parts.joined(separator: " ")
    }

    private func text(_ dependent: Dependent) -> String? {
        guard let table = self.table(dependent.table), columns(table).contains(dependent.a),
            columns(table).contains(dependent.b), let other = self.table(dependent.other)
        else { return nil }
        // FTS5 would take that column for the rowid.
        if dependent.kind == .search, columns(table).contains(where: { $0.lowercased() == "rowid" }) {
            return nil
        }
        var text = dependent.text
        for (mark, name) in [
            ("%n", dependent.name), ("%t", table.name), ("%u", other.name), ("%a", dependent.a),
            ("%b", dependent.b),
        ] {
            text = text.replacing(mark, with: Self.quoted(name))
        }
        return text
    }

    /// The full-text indexes that are printed, quoted.
    var searches: [String] {
        dependents.filter { $0.kind == .search && text($0) != nil }.map { Self.quoted($0.name) }
    }

    private func list(_ names: [String]) -> String { names.map(Self.quoted).joined(separator: ", ") }

    func table(_ name: String) -> Table? { tables.first { $0.name == name } }

    func columns(_ table: Table) -> [String] {
        (table.alias == nil ? [] : ["id"]) + table.columns.map(\.name)
    }

    // MARK: - Making

    mutating func addTable(_ random: inout SeededGenerator) {
        var table = Table(name: newName("t", &random), columns: [])
        table.isStrict = random.chance(15)
        for _ in 0...random.below(5) { table.columns.append(column(in: table, &random)) }
        switch random.below(4) {
        case 0, 1: table.alias = random.pick(["", "", " AUTOINCREMENT"])
        case 2:
            table.key = [table.columns[0].name]
            table.isWithoutRowid = random.chance(40)
        default: break
        }
        tables.append(table)
    }

    private mutating func column(in table: Table, _ random: inout SeededGenerator) -> Column {
        var column = Column(name: columnName("c", &random))
        column.type =
            table.isStrict
            ? random.pick(["INTEGER", "TEXT", "ANY", "REAL"])
            : random.pick(["", "INTEGER", "INT", "TEXT", "REAL", "BLOB", "VARCHAR(20)", "DECIMAL(10,2)"])
        for _ in 0..<random.below(3) {
            let (kind, clause) = clause(&random)
            column.clauses[kind] = clause
        }
        if random.chance(12), let of = table.columns.first(where: { $0.generated == nil }) {
            column.generated = (of.name, random.chance(40))
            column.clauses["default"] = nil
        } else if random.chance(15) {
            column.parent = parent(of: table.name, &random)
        }
        return column
    }

    private func parent(of name: String, _ random: inout SeededGenerator) -> Parent? {
        guard let table = tables.randomElement(using: &random) else { return nil }
        let actions = random.pick([
            "", "ON DELETE CASCADE", "ON UPDATE SET NULL", "DEFERRABLE INITIALLY DEFERRED",
        ])
        if table.alias != nil { return Parent(table: table.name, column: "id", actions: actions) }
        guard table.key.count == 1 else { return nil }
        return Parent(table: table.name, column: random.chance(50) ? table.key[0] : nil, actions: actions)
    }

    private func clause(_ random: inout SeededGenerator) -> (String, String) {
        random.pick([
            ("null", "NOT NULL"), ("null", "CONSTRAINT nn NOT NULL ON CONFLICT REPLACE"),
            ("default", "DEFAULT 7"), ("default", "DEFAULT 'x'"), ("default", "DEFAULT (1 + 1)"),
            ("default", "DEFAULT NULL"), ("default", "DEFAULT CURRENT_TIMESTAMP"),
            ("default", "DEFAULT -1.5"),
            ("collate", "COLLATE NOCASE"), ("collate", "COLLATE RTRIM"), ("unique", "UNIQUE"),
            ("check", "CHECK (%a IS NULL OR length(%a) < 9)"), ("check", "CONSTRAINT k CHECK (%a <> 'no')"),
        ])
    }

    mutating func addDependent(_ random: inout SeededGenerator) {
        guard let table = tables.randomElement(using: &random),
            let other = tables.randomElement(using: &random)
        else { return }
        let names = columns(table)
        let (kind, text): (Kind, String) = random.pick([
            (.index, "CREATE INDEX %n ON %t (%a, %b DESC)"),
            (.index, "CREATE INDEX %n ON %t (%a COLLATE NOCASE) WHERE %b IS NOT NULL"),
            (.index, "CREATE INDEX %n ON %t (length(%a))"),
            (.index, "CREATE UNIQUE INDEX %n ON %t (%a, %b)"),
            (.view, "CREATE VIEW %n AS SELECT %a, %b AS z FROM %t"),
            (.view, "CREATE VIEW %n (p, q) AS SELECT %t.%a, count(*) FROM %t JOIN %u GROUP BY 1"),
            (.view, "CREATE VIEW %n AS WITH w AS (SELECT %a AS v FROM %t) SELECT v FROM w ORDER BY v"),
            (.search, "CREATE VIRTUAL TABLE %n USING fts5(%a, content=%t)"),
            (
                .trigger,
                "CREATE TRIGGER %n AFTER UPDATE OF %a ON %t BEGIN SELECT old.%b; DELETE FROM %u WHERE 0; END"
            ),
            (.trigger, "CREATE TRIGGER %n BEFORE DELETE ON %u BEGIN UPDATE %t SET %a = %a WHERE 0; END"),
            (
                .trigger,
                "CREATE TRIGGER %n AFTER INSERT ON %t WHEN new.%a = 0 BEGIN SELECT count(%b) FROM %t; END"
            ),
        ])
        dependents.append(
            Dependent(
                kind: kind, name: newName("o", &random), text: text, table: table.name, other: other.name,
                a: random.pick(names), b: random.pick(names)))
    }

    // MARK: - Edits

    /// Changes one thing; SQLite may refuse the result.
    mutating func edit(_ random: inout SeededGenerator) {
        let t = random.below(tables.count)
        let c = random.below(tables[t].columns.count)
        switch random.below(26) {
        case 0: addTable(&random)
        case 1: if tables.count > 1 { tables.remove(at: t) }
        case 2: rename(table: t, to: newName("r", &random))
        case 3, 4:
            let name = columnName("d", &random)
            rename(column: c, of: t, to: name)
        case 5, 6, 7:
            let place = random.chance(70) ? tables[t].columns.count : c
            let added = column(in: tables[t], &random)
            tables[t].columns.insert(added, at: place)
        case 8, 9: drop(column: c, of: t)
        case 10, 11, 12:
            let (kind, clause) = clause(&random)
            let old = tables[t].columns[c].clauses[kind]
            tables[t].columns[c].clauses[kind] = old == nil || random.chance(50) ? clause : nil
        case 13: tables[t].columns[c].type = random.pick(["", "INTEGER", "TEXT", "REAL", "BLOB", "ANY"])
        case 14: tables[t].isStrict.toggle()
        case 15: tables[t].isWithoutRowid.toggle()
        case 16: tables[t].alias = random.pick([nil, "", " AUTOINCREMENT", " DESC"])
        case 17: tables[t].key = tables[t].key.isEmpty ? [tables[t].columns[c].name] : []
        case 18:
            let suffix = random.pick(["", " ON CONFLICT IGNORE", " ON CONFLICT REPLACE"])
            tables[t].uniques =
                tables[t].uniques.isEmpty ? [([tables[t].columns[c].name], suffix)] : []
        case 19:
            let text = random.pick(["CHECK (%a IS NOT 99)", "CONSTRAINT t CHECK (%a IS NULL OR %a <> 'q')"])
            tables[t].checks =
                tables[t].checks.isEmpty ? [(tables[t].columns[c].name, text)] : []
        case 20:
            let parent = parent(of: tables[t].name, &random)
            tables[t].columns[c].parent = parent
        case 21:
            let other = random.below(tables[t].columns.count)
            tables[t].columns.swapAt(c, other)
        case 22: userVersion += 1
        case 23: addDependent(&random)
        case 24: if !dependents.isEmpty { dependents.remove(at: random.below(dependents.count)) }
        default: respell(t, c, &random)
        }
    }

    private mutating func respell(_ t: Int, _ c: Int, _ random: inout SeededGenerator) {
        if random.chance(50) {
            let name = tables[t].name.uppercased()
            rename(table: t, to: name, isRename: false)
        } else {
            let name = tables[t].columns[c].name.uppercased()
            rename(column: c, of: t, to: name, isRename: false)
        }
    }

    private mutating func rename(table t: Int, to name: String, isRename: Bool = true) {
        let old = tables[t].name
        tables[t].name = name
        for i in tables.indices {
            for j in tables[i].columns.indices where tables[i].columns[j].parent?.table == old {
                tables[i].columns[j].parent?.table = name
            }
        }
        for i in dependents.indices {
            if dependents[i].table == old { dependents[i].table = name }
            if dependents[i].other == old { dependents[i].other = name }
        }
        let origin = renamedTables.first { $0.value == old }?.key ?? old
        if isRename || renamedTables[origin] != nil { renamedTables[origin] = name }
    }

    private mutating func rename(column c: Int, of t: Int, to name: String, isRename: Bool = true) {
        let old = tables[t].columns[c].name
        let (table, swap) = (tables[t].name, { (value: String) in value == old ? name : value })
        tables[t].columns[c].name = name
        tables[t].key = tables[t].key.map(swap)
        let (uniques, checks) = (tables[t].uniques, tables[t].checks)
        tables[t].uniques = uniques.map { ($0.columns.map(swap), $0.suffix) }
        tables[t].checks = checks.map { (swap($0.column), $0.text) }
        for i in tables[t].columns.indices {
            if let generated = tables[t].columns[i].generated {
                tables[t].columns[i].generated = (swap(generated.of), generated.isStored)
            }
        }
        for i in tables.indices {
            for j in tables[i].columns.indices where tables[i].columns[j].parent?.table == table {
                let column = tables[i].columns[j].parent?.column
                tables[i].columns[j].parent?.column = column.map(swap)
            }
        }
        for i in dependents.indices where dependents[i].table == table {
            let (a, b) = (dependents[i].a, dependents[i].b)
            dependents[i].a = swap(a)
            dependents[i].b = swap(b)
        }
        let first = renamedTables.first { $0.value == table }?.key ?? table
        let origin = renamedColumns[first]?.first { $0.value == old }?.key ?? old
        if isRename || renamedColumns[first]?[origin] != nil {
            renamedColumns[first, default: [:]][origin] = name
        }
    }

    private mutating func drop(column c: Int, of t: Int) {
        guard tables[t].columns.count > 1 else { return }
        let name = tables[t].columns.remove(at: c).name
        tables[t].key.removeAll { $0 == name }
        tables[t].uniques.removeAll { $0.columns.contains(name) }
        tables[t].checks.removeAll { $0.column == name }
        tables[t].columns.removeAll { $0.generated?.of == name }
        if tables[t].columns.isEmpty { tables[t].columns = [Column(name: name)] }
    }
}

extension RandomSchema {
    /// Makes a schema that SQLite accepts; an edit that it refuses is undone.
    static func valid(_ random: inout SeededGenerator) -> RandomSchema {
        var schema = RandomSchema()
        let tables = 1 + random.below(4)
        let dependents = random.below(6)
        while schema.tables.count < tables { grow(&schema, with: &random) { $0.addTable(&$1) } }
        for _ in 0..<dependents { grow(&schema, with: &random) { $0.addDependent(&$1) } }
        return schema
    }

    /// Returns it with a few edits that SQLite accepts.
    func edited(_ random: inout SeededGenerator) -> RandomSchema {
        var schema = self
        schema.renamedTables = [:]
        schema.renamedColumns = [:]
        for _ in 0...random.below(5) { Self.grow(&schema, with: &random) { $0.edit(&$1) } }
        return schema
    }

    private static func grow(
        _ schema: inout RandomSchema, with random: inout SeededGenerator,
        by step: (inout RandomSchema, inout SeededGenerator) -> Void
    ) {
        var candidate = schema
        step(&candidate, &random)
        if isValid(candidate) { schema = candidate }
    }

    private static func isValid(_ schema: RandomSchema) -> Bool {
        do {
            let database = try PlainDatabase()
            for statement in schema.statements { try database.execute(statement) }
            let views = try database.rows("SELECT name FROM sqlite_schema WHERE type = 'view'") {
                $0.string(0)
            }
            for view in views { _ = try database.prepare("SELECT * FROM \(RandomSchema.quoted(view))") }
            for table in schema.tables {
                let name = RandomSchema.quoted(table.name)
                _ = try database.prepare("INSERT INTO \(name) DEFAULT VALUES")
                _ = try database.prepare("DELETE FROM \(name)")
                for column in table.columns where column.generated == nil {
                    _ = try database.prepare("UPDATE \(name) SET \(RandomSchema.quoted(column.name)) = 1")
                }
            }
            for search in schema.searches {
                try database.execute("INSERT INTO \(search)(\(search)) VALUES ('rebuild')")
            }
            // ALTER compiles the whole schema.
            try database.execute("CREATE TABLE zz(a); ALTER TABLE zz RENAME TO yy")
            return true
        } catch {
            return false
        }
    }
}
