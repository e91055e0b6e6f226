import SQLiteSchema
import Synchronization

/// Values that follow from a schema and something else alone, such as the statements of a step, for all databases with that
/// schema.
///
///     let lineage = lineages.value(state.facts, statements) { TableLineage(state.catalog, statements: statements) }
package final class FactCache<Part: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Key: Hashable, Sendable {
        let schema: ObjectIdentifier
        let part: Part
    }

    private struct Known: Sendable {
        /// Stay with the value, so that no others get their identity.
        let facts: SchemaFacts
        let value: Value
    }

    private let known = Mutex<[Key: Known]>([:])
    /// More than the versions of most projects. It bounds the memory, not what is found out.
    private static var limit: Int { 512 }

    package init() {}

    /// Returns the value that is known, or else makes it.
    /// - Parameters:
    ///   - facts: what stands for the schema; nil where databases with it do not share everything.
    ///   - part: what the value depends on beside the schema.
    package func value(_ facts: SchemaFacts?, _ part: Part, _ make: () throws -> Value) rethrows -> Value {
        guard let facts else { return try make() }
        let key = Key(schema: ObjectIdentifier(facts), part: part)
        if let known = known.withLock({ $0[key] }) { return known.value }
        let value = try make()
        known.withLock { known in
            if known.count >= Self.limit { known = [:] }
            known[key] = Known(facts: facts, value: value)
        }
        return value
    }
}

/// Statements that are known again: the very ones, not others with the same text.
package struct SameStatements: Hashable, Sendable {
    private let statements: [SQLStatement]

    package init(_ statements: [SQLStatement]) { self.statements = statements }

    package static func == (one: SameStatements, other: SameStatements) -> Bool {
        one.statements.count == other.statements.count
            && zip(one.statements, other.statements).allSatisfy { $0.identity == $1.identity }
    }

    package func hash(into hasher: inout Hasher) {
        for statement in statements { hasher.combine(statement.identity) }
    }
}
