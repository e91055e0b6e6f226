import SQLiteSchema
import Synchronization

/// What a table's definition says, parsed when it is first needed. The states after it that have the same table share it.
final class ParsedDefinition: Sendable {
    private struct Parsed: Sendable {
        var name: String
        var text: String
        var schema: Schema
    }

    /// What the faults of a definition's expressions depend on.
    struct ExpressionKey: Hashable, Sendable {
        var name: String
        var text: String
        var indexes: [String]
        var isEmpty: Bool
    }

    private let parsed = Mutex<Parsed?>(nil)
    private let expressions = Mutex<[ExpressionKey: [Fault]]>([:])

    /// Returns the faults of the expressions, found once for each definition.
    func expressionFaults(_ key: ExpressionKey, find: () throws -> [Fault]) rethrows -> [Fault] {
        if let known = expressions.withLock({ $0[key] }) { return known }
        let faults = try find()
        expressions.withLock { $0[key] = faults }
        return faults
    }

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
