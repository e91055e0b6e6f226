import DrydockState
import SQLiteSchema

/// Reads the schemas of successive states, and parses each definition once.
struct SchemaReader {
    private var parsed: [String: Schema] = [:]

    /// Returns the schema by meaning, without history and SQLite's own tables.
    mutating func schema(of catalog: Catalog) -> Schema {
        var schema = Schema()
        for table in catalog.tables.values {
            schema.add(
                read(.init(type: "table", name: table.name, table: table.name, sql: table.text)))
        }
        for object in catalog.objects.values {
            schema.add(
                read(
                    .init(
                        type: object.kind.rawValue, name: object.name, table: object.tableName,
                        sql: object.text)))
        }
        return schema
    }

    private mutating func read(_ row: SchemaRow) -> Schema {
        let key = "\(row.name)\n\(row.sql ?? "")"
        if let known = parsed[key] { return known }
        let schema = SchemaParser().schema(of: [row])
        parsed[key] = schema
        return schema
    }
}

extension Schema {
    /// Takes in the single object of another schema.
    fileprivate mutating func add(_ other: Schema) {
        tables.merge(other.tables) { first, _ in first }
        indexes.merge(other.indexes) { first, _ in first }
        views.merge(other.views) { first, _ in first }
        triggers.merge(other.triggers) { first, _ in first }
        virtualTables.merge(other.virtualTables) { first, _ in first }
        unparsed.merge(other.unparsed) { first, _ in first }
    }
}
