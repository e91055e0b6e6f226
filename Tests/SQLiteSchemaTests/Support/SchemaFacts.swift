import SQLiteSchema

/// The facts that PRAGMAs report about a schema, once from SQLite and once as a model predicts them.
///
/// Each fact is one line, and they are sorted, so that two lists can be compared.
enum SchemaFacts {
    // MARK: From SQLite

    ///
    /// - Parameter directions: whether the directions of the indexes of constraints are included. Of two
    ///   constraints on the same columns SQLite keeps the direction of the first, which has no meaning.
    static func of(_ database: Database, directions: Bool = true) -> [String] {
        var facts: [String] = []
        for row in database.rows(
            "select type, name, ncol, wr, strict from pragma_table_list where schema = 'main'")
        {
            let name = row[1]
            guard !name.lowercased().hasPrefix("sqlite_"), row[0] != "shadow" else { continue }
            guard row[0] == "table" else {
                facts.append("\(row[0]) \(name)")
                continue
            }
            facts.append("table \(name) \(row[2]) wr=\(row[3]) strict=\(row[4])")
            facts +=
                columns(name, database) + indexes(name, database, directions) + foreignKeys(name, database)
        }
        for row in database.rows("select name, tbl_name from sqlite_schema where type = 'trigger'") {
            facts.append("trigger \(row[0]) on \(row[1].lowercased())")
        }
        return facts.sorted()
    }

    private static func literal(_ name: String) -> String { "'" + name.replacing("'", with: "''") + "'" }

    private static func columns(_ table: String, _ database: Database) -> [String] {
        let sql = """
            select cid, name, type, "notnull", dflt_value is null, dflt_value, pk, hidden
            from pragma_table_xinfo(\(literal(table)))
            """
        return database.rows(sql).map { row in
            let value = row[4] == "1" ? "none" : defaultValue(row[5])
            return
                "\(table) column \(row[0]) \(row[1]) \(type(row[2])) notnull=\(row[3]) \(value) pk=\(row[6]) \(row[7])"
        }
    }

    /// Returns a type. If it begins with a quote and continues after the closing one, SQLite shows what is in
    /// the quotes.
    private static func type(_ type: String) -> String {
        if let quote = type.first, "\"'`".contains(quote), let end = type.dropFirst().firstIndex(of: quote) {
            return type[type.index(after: type.startIndex)..<end].lowercased().filter { !$0.isWhitespace }
        }
        let source = SQLSource(name: "", type)
        let words = source.tokens().filter(\.isSignificant).map { $0.text(in: source).lowercased() }
        // A comment before ALWAYS keeps SQLite from seeing that GENERATED is not part of the type, and of two
        // GENERATED ALWAYS it sees the last.
        let end = words.firstIndex(of: "generated") ?? words.count
        return words[..<end].joined().filter { !"[]".contains($0) }
    }

    /// The text is what follows DEFAULT, or what is within the parentheses there.
    private static func defaultValue(_ text: String) -> String {
        for sql in ["create table t(a default \(text)\n)", "create table t(a default (\(text)\n))"] {
            if let table = try? SchemaParser().schema(of: SQLSource(name: "", sql)).table("t"),
                table.columns.count == 1, let value = table.columns[0].defaultValue
            {
                return value.description
            }
        }
        return "unreadable \(text)"
    }

    private static func indexes(_ table: String, _ database: Database, _ directions: Bool) -> [String] {
        database.rows("select name, \"unique\", origin, partial from pragma_index_list(\(literal(table)))")
            .map { row in
                let terms = database.rows(
                    "select cid, name, \"desc\", coll from pragma_index_xinfo(\(literal(row[0]))) where key = 1 order by seqno"
                ).map {
                    "\($0[0] == "-2" ? "expression" : $0[1]) \(directions || row[2] == "c" ? $0[2] : "-") \($0[3].uppercased())"
                }
                let name = row[2] == "c" ? row[0] : "-"
                return "\(table) index \(name) unique=\(row[1]) \(row[2]) partial=\(row[3]) \(terms)"
            }
    }

    private static func foreignKeys(_ table: String, _ database: Database) -> [String] {
        let sql = """
            select id, "table", "from", coalesce("to", 'key'), on_update, on_delete
            from pragma_foreign_key_list(\(literal(table))) order by id, seq
            """
        var keys: [String: (head: String, columns: [String])] = [:]
        for row in database.rows(sql) {
            keys[row[0], default: ("\(row[1]) \(row[4]) \(row[5])", [])].columns.append("\(row[2])>\(row[3])")
        }
        return keys.values.map { "\(table) references \($0.head) \($0.columns)" }
    }

    // MARK: From the model

    static func of(_ schema: Schema, directions: Bool = true) -> [String] {
        var facts: [String] = []
        for table in schema.tables.values {
            facts.append(
                "table \(table.name) \(table.columns.count) wr=\(table.isWithoutRowid ? 1 : 0) strict=\(table.isStrict ? 1 : 0)"
            )
            facts += columns(table) + indexes(table, schema, directions) + foreignKeys(table)
        }
        facts += schema.views.values.map { "view \($0.name)" }
        facts += schema.virtualTables.values.map { "virtual \($0.name)" }
        facts += schema.triggers.values.map { "trigger \($0.name) on \($0.table.lowercased())" }
        return facts.sorted()
    }

    private static func columns(_ table: Table) -> [String] {
        let key = table.effectivePrimaryKey.map { $0.column.foldedASCII }
        return table.columns.enumerated().map { place, column in
            let value = column.generated == nil ? column.defaultValue?.description ?? "none" : "none"
            let position = key.firstIndex(of: column.name.foldedASCII).map { $0 + 1 } ?? 0
            let hidden = column.generated.map { $0.isStored ? 3 : 2 } ?? 0
            let notNull = table.isNotNull(column) ? 1 : 0
            return
                "\(table.name) column \(place) \(column.name) \(type(column.declaredType)) notnull=\(notNull) \(value) pk=\(position) \(hidden)"
        }
    }

    private static func indexes(_ table: Table, _ schema: Schema, _ directions: Bool) -> [String] {
        func term(_ term: KeyTerm) -> String {
            "\(table.column(term.column)?.name ?? "?") \(directions ? term.isDescending ? "1" : "0" : "-") \(table.collation(of: term))"
        }
        var facts = table.effectiveUniques.map {
            "\(table.name) index - unique=1 u partial=0 \($0.terms.map(term))"
        }
        if table.primaryKey != nil, table.rowidAlias == nil {
            facts.append("\(table.name) index - unique=1 pk partial=0 \(table.effectivePrimaryKey.map(term))")
        }
        for index in schema.indexes(on: table.name) {
            let terms = index.terms.map { term in
                let name =
                    switch term.value {
                    case .column(let name): table.column(name)?.name ?? "?"
                    case .expression: "expression"
                    }
                return "\(name) \(term.isDescending ? 1 : 0) \(index.collation(of: term, in: table))"
            }
            facts.append(
                "\(table.name) index \(index.name) unique=\(index.isUnique ? 1 : 0) c partial=\(index.condition == nil ? 0 : 1) \(terms)"
            )
        }
        return facts
    }

    private static func foreignKeys(_ table: Table) -> [String] {
        table.foreignKeys.map { key in
            let columns = key.columns.enumerated().map { place, column in
                "\(table.column(column)?.name ?? "?")>\(key.parentColumns?[place] ?? "key")"
            }
            return
                "\(table.name) references \(key.parent) \(key.onUpdate.rawValue) \(key.onDelete.rawValue) \(columns)"
        }
    }
}

extension Schema {
    /// Whether two constraints of a table are on the same columns in different directions.
    var hasAmbiguousDirections: Bool {
        tables.values.contains { table in
            let keys = table.uniques.map(\.terms) + [table.primaryKey?.terms ?? []]
            let columns = keys.map { $0.map(\.column.foldedASCII) }
            return Set(columns).count < columns.count && keys.joined().contains(where: \.isDescending)
        }
    }
}

extension Database {
    /// Returns the schema of sqlite_schema.
    func schema() -> Schema {
        SchemaParser().schema(
            of: rows("select type, name, tbl_name, sql from sqlite_schema").map {
                SchemaRow(type: $0[0], name: $0[1], table: $0[2], sql: $0[3].isEmpty ? nil : $0[3])
            })
    }
}
