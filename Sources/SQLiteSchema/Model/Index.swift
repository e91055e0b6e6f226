/// An index created with CREATE INDEX (https://www.sqlite.org/lang_createindex.html).
public struct Index: Sendable, Hashable {
    /// One term of an index.
    public struct Term: Sendable, Hashable {
        public enum Value: Sendable, Hashable {
            case column(String)
            case expression(SQLFragment)
        }

        public var value: Value
        /// The collation as written; nil for the column's own, or BINARY for an expression.
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

    /// Returns the collation of a term in upper case; `table` has the collation of a column.
    public func collation(of term: Term, in table: Table?) -> String {
        let inherited: String? =
            if case .column(let name) = term.value { table?.column(name)?.collation } else { nil }
        return (term.collation ?? inherited ?? "BINARY").uppercasedASCII
    }

    /// The folded names that its terms and its condition use.
    public var names: Set<String> {
        terms.reduce(into: condition?.names ?? []) { names, term in
            switch term.value {
            case .column(let name): names.insert(name.foldedASCII)
            case .expression(let expression): names.formUnion(expression.names)
            }
        }
    }
}
