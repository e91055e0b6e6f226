import SQLiteSchema

/// The order of tables in which parents come before those that refer to them, as far as circles let it.
package struct ParentsFirst {
    private let schema: Schema

    package init(_ schema: Schema) { self.schema = schema }

    package func order(_ tables: Set<String>) -> [String] {
        var (order, seen): ([String], Set<String>) = ([], [])
        func visit(_ name: String) {
            guard tables.contains(name), seen.insert(name).inserted else { return }
            for key in schema.tables[name]?.foreignKeys ?? [] { visit(key.parent.foldedASCII) }
            order.append(name)
        }
        for name in tables.sorted() { visit(name) }
        return order
    }
}
