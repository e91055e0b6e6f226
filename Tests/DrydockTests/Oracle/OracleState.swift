import DatabaseEngine

@testable import DrydockTestSupport

/// Every table of a database with all of its rows, read by plain SELECTs.
struct OracleState {
    struct Table {
        let table: ModelTable
        let rows: [[SQLValue]]
        /// Whether each row matches one of the conditions under which rows may go.
        let mayGo: [Bool]
        let constraints: OracleConstraints
    }

    var tables: [Table] = []
    /// Tables with columns that cannot be read, and why.
    var unreadable: [(table: ModelTable, reason: String)] = []
    /// The number of rows without their parent, and of keys that cannot be checked.
    var foreignKeyFaults = 0
    /// The keys that reference a table that does not exist, with rows or without.
    var keysWithoutParent: Set<String> = []
    /// Indexes, triggers and views, each with its table.
    var objects: Set<String> = []
    /// Views and triggers that do not compile, and indexes on a string.
    var brokenObjects: Set<String> = []
    var isIntact = true
    /// AUTOINCREMENT marks, by table id.
    var marks: [Int: Int64] = [:]

    /// - Parameter conditions: the conditions under which rows may go, by table id.
    init(_ database: PlainDatabase, _ model: Model, conditions: [Int: [String]] = [:]) throws {
        let real = try database.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"
        ) { $0.string(0).lowercased() }
        for table in model.tables {
            guard real.contains(table.name.lowercased()) else {
                throw PlainDatabase.Failure(description: "the generator is wrong: no table \(table.name)")
            }
            let names = try database.rows("PRAGMA main.table_xinfo(\(table.quoted))") {
                $0.integer(6) == 1 ? nil : $0.string(1)
            }
            guard names.compactMap({ $0 }) == table.columns.map(\.name) else {
                throw PlainDatabase.Failure(
                    description:
                        "the generator is wrong: \(table.name) has \(names), not \(table.columns.map(\.name))"
                )
            }
            let list = table.columns.map(\.quoted).joined(separator: ", ")
            let condition = (conditions[table.id] ?? []).map { "coalesce((\($0)), 0)" }.joined(
                separator: " OR ")
            let mayGo = condition.isEmpty ? "0" : condition
            do {
                let rows = try database.rows("SELECT \(mayGo), \(list) FROM main.\(table.quoted)") { row in
                    (0..<row.columnCount).map(row.value)
                }
                tables.append(
                    Table(
                        table: table, rows: rows.map { Array($0.dropFirst()) },
                        mayGo: rows.map { $0[0] != 0 },
                        constraints: try OracleConstraints(database, table)))
            } catch let failure as PlainDatabase.Failure {
                unreadable.append((table, failure.description))
            }
        }
        foreignKeyFaults = (try? database.rows("PRAGMA foreign_key_check") { $0.string(0) }.count) ?? 1
        // As they are written: SQLite folds ASCII alone.
        let written = try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            $0.string(0)
        }
        keysWithoutParent = try written.reduce(into: []) { keys, table in
            let parents = try database.rows("PRAGMA main.foreign_key_list(\(quote(table)))") { $0.string(2) }
            keys.formUnion(
                parents.filter { !real.contains($0.lowercased()) }.map { "\(table) to \($0)" })
        }
        objects = Set(
            try database.rows(
                "SELECT name, tbl_name FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL"
            ) {
                "\($0.string(0)) of \($0.string(1))".lowercased()
            })
        for view in try database.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'view'", [], { $0.string(0) })
        {
            if (try? database.prepare("SELECT * FROM main.\(quote(view))")) == nil {
                brokenObjects.insert(view.lowercased())
            }
        }
        // A column in double quotes that does not exist is a string to some tools.
        for index in try database.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT LIKE '%length(%'", [],
            { $0.string(0) })
        {
            let keys = try database.rows("PRAGMA main.index_xinfo(\(quote(index)))") { $0.integer(1) }
            if keys.contains(-2) { brokenObjects.insert(index.lowercased()) }
        }
        brokenObjects.formUnion(try Self.objectsWithStrings(database, model))
        let triggers = try database.rows("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger'") {
            ($0.string(0), $0.string(1))
        }
        for (trigger, table) in triggers {
            guard let column = model.table(table)?.stored.first?.quoted else { continue }
            let name = "main.\(quote(table))"
            for sql in [
                "DELETE FROM \(name)", "INSERT INTO \(name)(\(column)) VALUES (1)",
                "UPDATE \(name) SET \((model.table(table)?.stored ?? []).map { "\($0.quoted) = \($0.quoted)" }.joined(separator: ", "))",
            ] where (try? database.prepare(sql)) == nil {
                brokenObjects.insert(trigger.lowercased())
            }
        }
        isIntact = (try? database.rows("PRAGMA integrity_check") { $0.string(0) }) == ["ok"]
        if real.count != model.tables.count, !model.tables.contains(where: { $0.module != nil }) {
            throw PlainDatabase.Failure(
                description: "the generator is wrong: \(real) are not \(model.tables.map(\.name))")
        }
        if let all = try? database.rows(
            "SELECT name, seq FROM sqlite_sequence", [], { ($0.string(0), $0.integer(1)) })
        {
            for (name, mark) in all { if let id = model.table(name)?.id { marks[id] = mark } }
        }
    }

    /// Returns the views and indexes with a name in double quotes that nothing has: the generator writes no strings so.
    private static func objectsWithStrings(_ database: PlainDatabase, _ model: Model) throws -> [String] {
        let objects = try database.rows(
            "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('view', 'index')", []
        ) { ($0.string(0), $0.string(1)) }
        let tables = model.tables.flatMap { [$0.name] + $0.columns.map(\.name) }
        let known = Set((tables + objects.map(\.0)).map { $0.lowercased() })
        return objects.filter { _, sql in
            sql.matches(of: /"((?:[^"]|"")*)"/).contains {
                !known.contains($0.output.1.replacing("\"\"", with: "\"").lowercased())
            }
        }.map { $0.0.lowercased() }
    }

    subscript(id: Int) -> Table? { tables.first { $0.table.id == id } }
}
