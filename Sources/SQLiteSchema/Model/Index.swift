/// An index that CREATE INDEX made (https://www.sqlite.org/lang_createindex.html).
public struct Index: Sendable, Hashable {
    /// One term of an index.
    public struct Term: Sendable, Hashable {
        public enum Value: Sendable, Hashable {
            case column(String)
            case expression(SQLFragment)
        }

        public var value: Value
        /// As written; nil takes the column's own, and BINARY for an expression.
        public var collation: String?
        public var isDescending: Bool

        public init(_ value: Value, collation: String? = nil, isDescending: Bool = false) {
            self.value = value
            self.collation = collation
            self.isDescending = isDescending
        }
    }

    public var name: String
    public var table: String
    public var terms: [Term]
    public var isUnique: Bool
    /// The condition of a partial index (https://www.sqlite.org/partialindex.html).
    public var condition: SQLFragment?

    public init(
        name: String, table: String, terms: [Term], isUnique: Bool = false, condition: SQLFragment? = nil
    ) {
        self.name = name
        self.table = table
        self.terms = terms
        self.isUnique = isUnique
        self.condition = condition
    }

    /// The collation of a term in upper case, with the table's columns known.
    public func collation(of term: Term, in table: Table?) -> String {
        let inherited: String? =
            if case .column(let name) = term.value { table?.column(name)?.collation } else { nil }
        return (term.collation ?? inherited ?? "BINARY").uppercasedASCII
    }

    /// The names that its terms and its condition use, folded.
    public var names: Set<String> {
        terms.reduce(into: condition?.names ?? []) { names, term in
            switch term.value {
            case .column(let name): names.insert(name.foldedASCII)
            case .expression(let expression): names.formUnion(expression.names)
            }
        }
    }
}
