import DrydockReplay
import DrydockState
import SQLiteSchema

/// Reads the schemas of successive states, and parses each definition once.
package struct SchemaReader {
    private var parsed: [Key: Schema] = [:]

    package init() {}

    private struct Key: Hashable {
        var name: String
        var sql: String?
    }

    /// Returns the schema by meaning, without history and SQLite's own tables.
    package mutating func schema(of catalog: Catalog) -> Schema {
        var schema = Schema()
        for table in catalog.tables.values {
            schema.add(
                read(.init(type: "table", name: table.name, table: table.name, sql: table.text), table))
        }
        for object in catalog.objects.values {
            schema.add(
                read(
                    .init(
                        type: object.kind.rawValue, name: object.name, table: object.tableName,
                        sql: object.text), catalog.table(object.tableName)))
        }
        return schema
    }

    /// - Parameter owner: the table, which keeps what is parsed for other runs.
    private mutating func read(_ row: SchemaRow, _ owner: Catalog.Table?) -> Schema {
        let key = Key(name: row.name, sql: row.sql)
        if let known = parsed[key] { return known }
        let schema = owner?.schema(of: [row]) ?? SchemaParser().schema(of: [row])
        parsed[key] = schema
        return schema
    }
}

extension Schema {
    /// Takes in the single object of another schema.
    fileprivate mutating func add(_ other: Schema) {
        for (name, table) in other.tables { tables[name] = table }
        for (name, index) in other.indexes { indexes[name] = index }
        for (name, view) in other.views { views[name] = view }
        for (name, trigger) in other.triggers { triggers[name] = trigger }
        for (name, table) in other.virtualTables { virtualTables[name] = table }
        for (name, object) in other.unparsed { unparsed[name] = object }
    }
}
