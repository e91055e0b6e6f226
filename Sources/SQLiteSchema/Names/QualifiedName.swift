/// The name of a table, index, view or trigger and the schema that qualifies it, both unquoted.
///
/// Spelling is kept for messages. Two names are equal if they differ only in ASCII case, as in SQLite
/// (https://www.sqlite.org/lang_naming.html).
public struct QualifiedName: Sendable {
    /// `main`, `temp` or the name of an attached database; nil if the statement names none.
    public var schema: String?
    public var name: String

    public init(schema: String? = nil, name: String) {
        self.schema = schema
        self.name = name
    }
}

extension QualifiedName: Hashable {
    public static func == (a: QualifiedName, b: QualifiedName) -> Bool {
        a.name.foldedASCII == b.name.foldedASCII && a.schema?.foldedASCII == b.schema?.foldedASCII
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(schema?.foldedASCII)
        hasher.combine(name.foldedASCII)
    }
}

extension QualifiedName: CustomStringConvertible {
    public var description: String { schema.map { "\($0).\(name)" } ?? name }
}

extension QualifiedName: ExpressibleByStringLiteral {
    /// Creates a name without a schema; a dot in it is part of the name.
    public init(stringLiteral value: String) { self.init(name: value) }
}
