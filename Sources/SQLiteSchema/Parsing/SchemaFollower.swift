/// A schema that is kept up to date statement by statement: unchanged objects are not parsed again.
public struct SchemaFollower: Sendable {
    private let parser: SchemaParser
    private var builder = SchemaBuilder()
    /// The SQL of each object, by its type and folded name.
    private var texts: [[String]: String] = [:]

    public var schema: Schema { builder.schema }

    /// - Parameter historyTables: as for `SchemaParser`.
    public init(historyTables: some Sequence<String> = []) {
        parser = SchemaParser(historyTables: historyTables)
    }

    /// Updates the schema from all rows of sqlite_schema; objects without a row are removed.
    public mutating func take(all rows: [SchemaRow]) {
        let keys = Set(rows.map(Self.key))
        for key in texts.keys where !keys.contains(key) { remove(key) }
        take(rows)
        builder.removeShadowTables([])
    }

    /// Updates the schema from rows of sqlite_schema that are new or changed.
    public mutating func take(_ rows: [SchemaRow]) {
        var added: [CreateStatement.Object] = []
        for row in rows {
            guard let sql = row.sql, texts[Self.key(row)] != sql else { continue }
            remove(Self.key(row))
            texts[Self.key(row)] = sql
            if let object = parser.add(row, to: &builder) { added.append(object) }
        }
        for object in added { builder.resolveDoubleQuotes(of: object) }
    }

    /// Removes objects by their rows of sqlite_schema.
    public mutating func remove(_ rows: [SchemaRow]) {
        for row in rows { remove(Self.key(row)) }
    }

    /// Removes a dropped table or view, and everything on it.
    public mutating func dropTable(_ name: String) {
        let folded = name.foldedASCII
        for index in schema.indexes.values where index.table.isSameName(as: name) {
            texts[["index", index.name.foldedASCII]] = nil
        }
        for trigger in schema.triggers.values where trigger.table.isSameName(as: name) {
            texts[["trigger", trigger.name.foldedASCII]] = nil
        }
        for unparsed in schema.unparsed.values where unparsed.table.isSameName(as: name) {
            texts[[unparsed.type, unparsed.name.foldedASCII]] = nil
        }
        texts[["table", folded]] = nil
        texts[["view", folded]] = nil
        builder.dropTable(name)
    }

    public mutating func dropIndex(_ name: String) { remove(["index", name.foldedASCII]) }

    public mutating func dropTrigger(_ name: String) { remove(["trigger", name.foldedASCII]) }

    private static func key(_ row: SchemaRow) -> [String] { [row.type, row.name.foldedASCII] }

    private mutating func remove(_ key: [String]) {
        guard texts.removeValue(forKey: key) != nil else { return }
        let name = key[1]
        if builder.schema.unparsed[name]?.type == key[0] { builder.schema.unparsed[name] = nil }
        switch key[0] {
        case "table":
            builder.schema.tables[name] = nil
            builder.schema.virtualTables[name] = nil
        case "index": builder.schema.indexes[name] = nil
        case "view": builder.schema.views[name] = nil
        default: builder.schema.triggers[name] = nil
        }
    }
}
