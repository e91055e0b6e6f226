import SQLiteSchema
import Synchronization

/// The objects of a schema by the folded name of their table.
struct SchemaLookup: Sendable {
    let schema: Schema
    let indexes: [String: [Index]]

    init(_ schema: Schema) {
        self.schema = schema
        var indexes: [String: [Index]] = [:]
        for (_, index) in schema.indexes.sorted(by: { $0.key < $1.key }) {
            indexes[index.table.foldedASCII, default: []].append(index)
        }
        self.indexes = indexes
    }
}

/// What several requests of one run need, made once.
final class SharedLookups: Sendable {
    private struct State {
        /// The later schemas, the last one first: each request has one less than the one before.
        var later: [SchemaLookup] = []
        var statements: [SQLStatement] = []
        var facts = StatementFacts()
    }

    private let state = Mutex(State())

    /// Returns the lookups of schemas, in their order.
    func lookups(_ schemas: [Schema]) -> [SchemaLookup] {
        state.withLock { state in
            var result: [SchemaLookup] = []
            for (place, schema) in schemas.reversed().enumerated() {
                // Equal dictionaries of one storage are compared at once.
                if place < state.later.count, state.later[place].schema.indexes == schema.indexes {
                    result.append(SchemaLookup(schema, sharing: state.later[place]))
                } else {
                    result.append(SchemaLookup(schema))
                }
            }
            if result.count >= state.later.count { state.later = result }
            return result.reversed()
        }
    }

    /// Returns what statements say.
    func facts(_ statements: [SQLStatement]) -> StatementFacts {
        state.withLock { state in
            if !Self.isSame(state.statements, statements) {
                state.statements = statements
                state.facts = StatementFacts(statements)
            }
            return state.facts
        }
    }

    /// Returns whether two arrays are copies of one. The earlier one is retained, so that its address is not reused.
    private static func isSame(_ a: [SQLStatement], _ b: [SQLStatement]) -> Bool {
        guard a.count == b.count else { return false }
        return a.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { b in a.baseAddress == b.baseAddress }
        }
    }
}

extension SchemaLookup {
    /// Creates the lookup of a schema with the indexes of another one.
    init(_ schema: Schema, sharing other: SchemaLookup) {
        self.schema = schema
        indexes = other.indexes
    }
}
