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
    fileprivate let wider = Mutex<[ExactRows: Schema]>([:])
    fileprivate static let widerLimit = 64

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
        if let known, known.name.utf8.elementsEqual(name.utf8), known.text.utf8.elementsEqual(text.utf8) {
            return known.schema
        }
        let schema = SchemaParser().schema(of: [SchemaRow(type: "table", name: name, table: name, sql: text)])
        parsed.withLock { $0 = Parsed(name: name, text: text, schema: schema) }
        return schema
    }
}

/// Definitions that are equal byte by byte: to Swift, texts are that differ only in how Unicode composes letters.
private struct ExactRows: Hashable, Sendable {
    let rows: [SchemaRow]

    static func == (one: ExactRows, other: ExactRows) -> Bool {
        one.rows.count == other.rows.count
            && zip(one.rows, other.rows).allSatisfy { one, other in
                one.type == other.type && one.name.utf8.elementsEqual(other.name.utf8)
                    && one.table.utf8.elementsEqual(other.table.utf8)
                    && (one.sql ?? "").utf8.elementsEqual((other.sql ?? "").utf8)
            }
    }

    func hash(into hasher: inout Hasher) {
        for row in rows { hasher.combine(row.sql?.utf8.count) }
    }
}

extension ParsedDefinition {
    /// Returns the schema of some definitions, all with a text.
    fileprivate func schema(of rows: [SchemaRow]) -> Schema {
        let key = ExactRows(rows: rows)
        if let known = wider.withLock({ $0[key] }) { return known }
        let schema = SchemaParser().schema(of: rows)
        wider.withLock { wider in
            if wider.count >= Self.widerLimit { wider = [:] }
            wider[key] = schema
        }
        return schema
    }
}

extension Catalog.Table {
    /// A schema that has only this table.
    var schema: Schema { definition.schema(name: name, text: text) }

    /// Returns the schema of some definitions with a text, this table's among them. The states that have the same table share it.
    package func schema(of rows: [SchemaRow]) -> Schema { definition.schema(of: rows) }
}
