import SQLiteSchema

/// The tables that a difference touches, and those beside them: what must be shown of a schema to understand the
/// difference, however large the schema is.
public struct SchemaExcerpt: Sendable {
    /// Only tables and virtual tables, as they are after the difference.
    public var schema: Schema
    /// The number of tables beside them that are left out, since a foreign key of theirs is all that they have to do with it.
    public var leftOut: Int

    public init(schema: Schema = Schema(), leftOut: Int = 0) {
        (self.schema, self.leftOut) = (schema, leftOut)
    }
}

/// Which tables reference which, kept up to date as tables change, so that an excerpt costs as much as it has tables.
public struct SchemaReferences: Sendable {
    /// The folded names of tables with a foreign key to a table, by its folded name.
    private var children: [String: Set<String>] = [:]

    /// How many tables that only reference a touched one are in an excerpt.
    private static let childLimit = 6

    public init(_ schema: Schema = Schema()) {
        for table in schema.tables.values { update(from: nil, to: table) }
    }

    /// Takes in that a table has changed.
    /// - Parameter old: nil if it was created.
    /// - Parameter new: nil if it was dropped.
    public mutating func update(from old: Table?, to new: Table?) {
        for key in old?.foreignKeys ?? [] {
            children[key.parent.foldedASCII]?.remove(old?.name.foldedASCII ?? "")
        }
        for key in new?.foreignKeys ?? [] {
            children[key.parent.foldedASCII, default: []].insert(new?.name.foldedASCII ?? "")
        }
    }

    /// Returns the tables that changes touch, every table that these reference, and some that reference them.
    /// - Parameter schema: the schema after the changes.
    public func excerpt(of schema: Schema, around changes: [SchemaChange]) -> SchemaExcerpt {
        var excerpt = SchemaExcerpt()
        var parents: Set<String> = []
        var beside: Set<String> = []
        for change in changes {
            if case .tableDropped(let table) = change {
                parents.formUnion(table.foreignKeys.map(\.parent.foldedASCII))
            }
            if case .table(_, .foreignKeyDropped(let key)) = change { parents.insert(key.parent.foldedASCII) }
            guard let name = change.table?.foldedASCII else { continue }
            if let table = schema.virtualTables[name] { excerpt.schema.virtualTables[name] = table }
            guard let table = schema.tables[name], excerpt.schema.tables[name] == nil else { continue }
            excerpt.schema.tables[name] = table
            parents.formUnion(table.foreignKeys.map(\.parent.foldedASCII))
            beside.formUnion(children[name] ?? [])
        }
        for name in parents where excerpt.schema.tables[name] == nil {
            excerpt.schema.tables[name] = schema.tables[name]
        }
        let others = beside.filter { excerpt.schema.tables[$0] == nil }.sorted()
        for name in others.prefix(Self.childLimit) { excerpt.schema.tables[name] = schema.tables[name] }
        excerpt.leftOut = max(0, others.count - Self.childLimit)
        return excerpt
    }
}
