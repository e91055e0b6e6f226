/// An expression or a query within a statement: compared by meaning, printed as its author spelt the names.
///
/// Two fragments are equal when their `normalized` tokens are. The spelling is kept beside it because
/// folding is not free of effect everywhere: `AS Total` in a view names a column of the result, and a name in
/// double quotes that no column has is a text (https://www.sqlite.org/quirks.html#dblquote).
public struct SQLFragment: Sendable {
    /// The tokens by meaning.
    public internal(set) var normalized: NormalizedSQL

    /// How each item of `normalized` is printed.
    var spelling: [String]

    /// Items that were written `"so"` and of which it is not known yet whether they are names or texts.
    var doubleQuoted: [Int] = []

    /// The fragment that tokens make; whitespace and comments among them make no difference.
    init(_ tokens: some Sequence<Token>, in source: SQLSource) {
        let significant = tokens.filter(\.isSignificant)
        var items = NormalizedSQL(significant, in: source).items
        guard items.count == significant.count else {
            // A whole CREATE statement, whose head is not kept as it is written.
            normalized = NormalizedSQL(items: items)
            spelling = items.map { NormalizedSQL(items: [$0]).description }
            return
        }
        spelling = []
        spelling.reserveCapacity(items.count)
        for (index, token) in significant.enumerated() {
            items[index] = Self.canonicalLiteral(items[index], token)
            spelling.append(Self.spelling(of: items[index], token, in: source))
            if case .word = items[index], token.kind == .quotedIdentifier,
                source.bytes[token.range.lowerBound] == UInt8(ascii: "\""),
                !Self.isSurelyName(index, in: items)
            {
                doubleQuoted.append(index)
            }
        }
        normalized = NormalizedSQL(items: items)
        spellInFull()
    }

    /// The fragment that a text makes.
    public init(sql: String) {
        let source = SQLSource(name: "", sql)
        self.init(Lexer(source), in: source)
    }

    public var items: [NormalizedSQL.Item] { normalized.items }

    /// The names in it, folded: columns, tables, functions, and the keywords that may be names as well.
    public var names: Set<String> {
        items.reduce(into: []) { if case .word(let name) = $1 { $0.insert(name) } }
    }

    /// Whether nothing but renamed things tells the fragments apart, and texts that one has in single quotes,
    /// the other in double ones (as ALTER TABLE RENAME rewrites them).
    ///
    /// The keys are the folded old names; a word may have kept its name, since the same word can stand for
    /// something that was not renamed.
    func matches(_ new: SQLFragment, renames: [String: Set<String>]) -> Bool {
        if self == new { return true }
        guard items.count == new.items.count else { return false }
        return items.indices.allSatisfy { index in
            switch (items[index], new.items[index]) {
            case (.word(let a), .word(let b)): return a == b || renames[a]?.contains(b) ?? false
            case (.word, .literal(let text)): return possibleText(index) == text
            case (.literal(let text), .word): return new.possibleText(index) == text
            case (let a, let b): return a == b
            }
        }
    }

    /// The text that a name in double quotes may be, as a literal.
    private func possibleText(_ index: Int) -> String? {
        doubleQuoted.contains(index) ? DefaultValue.quoted(SQLName.unquoted(spelling[index])) : nil
    }
}

extension SQLFragment: Hashable {
    public static func == (a: SQLFragment, b: SQLFragment) -> Bool { a.normalized == b.normalized }

    public func hash(into hasher: inout Hasher) { hasher.combine(normalized) }
}

extension SQLFragment: CustomStringConvertible {
    /// The fragment on one line, keywords in upper case.
    public var description: String { text(breaking: nil) }

    /// The fragment, each clause of a query on a line of its own.
    public var lines: [String] { text(breaking: "").split(separator: "\n").map(String.init) }

    /// The fragment with a line break before each clause of a query that is not in parentheses.
    func text(breaking indentation: String?) -> String {
        let clauses: Set<String> = [
            "from", "where", "group", "having", "order", "limit", "union", "except", "intersect",
        ]
        var text = ""
        var depth = 0
        for index in items.indices {
            if items[index] == .symbol("(") { depth += 1 }
            if items[index] == .symbol(")") { depth -= 1 }
            if let indentation, depth == 0, index > 0, case .keyword(let word) = items[index],
                clauses.contains(word),
                items[index - 1] != .keyword("distinct"), items[index - 1] != .keyword("delete")
            {
                text += "\n" + indentation
            } else if index > 0, NormalizedSQL.needsSpace(items[index - 1], items[index]) {
                text += " "
            }
            text += spelling[index]
        }
        return text
    }
}
