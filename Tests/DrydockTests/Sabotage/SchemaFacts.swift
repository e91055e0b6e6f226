import DatabaseEngine

@testable import DrydockTestSupport

/// What a mutation needs to know of a schema.
struct SchemaFacts: Sendable {
    struct Column: Sendable {
        var name: String
        var type: String
        var isNotNull: Bool
        var isKey: Bool
        /// Whether the column is part of a UNIQUE constraint.
        var isUnique: Bool
        /// Another table that the column references.
        var parent: String?
    }

    struct Table: Sendable {
        var name: String
        var sql: String
        var columns: [Column]
        var isStrict: Bool
        /// Tables and columns that reference this table.
        var children: [(table: String, column: String)]

        var values: [Column] { columns.filter { !$0.isKey } }
        /// Whether a row can exist twice with different ids.
        var takesCopies: Bool { columns.filter(\.isKey).count == 1 && !columns.contains(where: \.isUnique) }
        var key: String { columns.filter(\.isKey).map(\.name).joined(separator: ", ") }
    }

    struct Object: Sendable {
        var kind: String
        var name: String
        var table: String
        var sql: String
    }

    var tables: [Table] = []
    var objects: [Object] = []

    init(_ database: PlainDatabase) throws {
        let listed = try database.rows(
            "SELECT name, strict, sql FROM pragma_table_list JOIN sqlite_schema USING (name) WHERE schema = 'main' AND pragma_table_list.type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
        ) { ($0.string(0), $0.integer(1) != 0, $0.string(2)) }
        var children: [String: [(String, String)]] = [:]
        for (name, isStrict, sql) in listed {
            var parents: [String: String] = [:]
            try database.forEachRow("SELECT \"table\", \"from\" FROM pragma_foreign_key_list('\(name)')") {
                row in
                parents[row.string(1)] = row.string(0)
                children[row.string(0), default: []].append((name, row.string(1)))
            }
            let unique = Set(
                try database.rows(
                    "SELECT c.name FROM pragma_index_list('\(name)') AS i JOIN pragma_index_info(i.name) AS c WHERE i.origin = 'u'"
                ) { $0.string(0) })
            let columns = try database.rows(
                "SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo('\(name)') WHERE hidden = 0"
            ) {
                Column(
                    name: $0.string(0), type: $0.string(1), isNotNull: $0.integer(2) != 0,
                    isKey: $0.integer(3) != 0,
                    isUnique: unique.contains($0.string(0)), parent: parents[$0.string(0)])
            }
            tables.append(
                Table(
                    name: name, sql: sql, columns: columns, isStrict: isStrict, children: []))
        }
        for index in tables.indices { tables[index].children = children[tables[index].name] ?? [] }
        objects = try database.rows(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL ORDER BY type, name"
        ) { Object(kind: $0.string(0), name: $0.string(1), table: $0.string(2), sql: $0.string(3)) }
    }

    func table(_ name: String) -> Table? { tables.first { $0.name == name } }
}
