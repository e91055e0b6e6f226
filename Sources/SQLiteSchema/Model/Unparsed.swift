/// An object of the schema that could not be parsed; it is compared by its tokens.
public struct Unparsed: Sendable, Hashable {
    /// `table`, `index`, `view` or `trigger`, as in sqlite_schema.
    public var type: String
    public var name: String
    /// The table that an index or a trigger is on; otherwise the object's own name.
    public var table: String
    public var normalized: NormalizedSQL
    /// The SQL as it is written.
    public var text: String
    /// Why it could not be parsed.
    public var reason: String

    public init(type: String, name: String, table: String, text: String, reason: String) {
        self.type = type
        self.name = name
        self.table = table
        normalized = NormalizedSQL(sql: text)
        self.text = text
        self.reason = reason
    }

    public static func == (a: Unparsed, b: Unparsed) -> Bool {
        a.type == b.type && a.name == b.name && a.table == b.table && a.normalized == b.normalized
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(name)
        hasher.combine(normalized)
    }
}
