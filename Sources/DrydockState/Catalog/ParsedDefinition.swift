import SQLiteSchema
import Synchronization

/// What a table's definition says, parsed when it is first needed. The states after it that have the same table share it.
final class ParsedDefinition: Sendable {
    private struct Parsed: Sendable {
        var name: String
        var text: String
        var schema: Schema
    }

    private let parsed = Mutex<Parsed?>(nil)

    /// Returns a schema that has only the table.
    func schema(name: String, text: String) -> Schema {
        let known = parsed.withLock { $0 }
        if let known, known.name == name, known.text == text { return known.schema }
        let schema = SchemaParser().schema(of: [SchemaRow(type: "table", name: name, table: name, sql: text)])
        parsed.withLock { $0 = Parsed(name: name, text: text, schema: schema) }
        return schema
    }
}

extension Catalog.Table {
    /// A schema that has only this table.
    var schema: Schema { definition.schema(name: name, text: text) }
}
