/// An expression or a query within a statement: compared by meaning, printed as its author spelt the names.
///
/// Two fragments are equal when their `normalized` tokens are. The spelling is kept beside it because
/// folding is not free of effect everywhere: `AS Total` in a view names a column of the result, and a name in
/// double quotes that no column has is a text (https://www.sqlite.org/quirks.html#dblquote).
public struct SQLFragment: Sendable {
    /// The tokens by meaning.
    public private(set) var normalized: NormalizedSQL

    /// How each item of `normalized` is printed.
    private(set) var spelling: [String]

    /// Items that were written `"so"` and of which it is not known yet whether they are names or texts.
    private var doubleQuoted: [Int] = []

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

extension SQLFragment {
    /// Takes each name in double quotes that nothing is called for the text that SQLite makes of it.
    ///
    /// - Parameters:
    ///   - possible: the folded names that may be meant; every other one is a text.
    ///   - certain: the folded names that surely are meant, so that their quotes can go.
    mutating func resolveDoubleQuotes(possible: (String) -> Bool, certain: (String) -> Bool) {
        guard !doubleQuoted.isEmpty else { return }
        var items = self.items
        var open: [Int] = []
        for index in doubleQuoted {
            guard case .word(let name) = items[index] else { continue }
            if !possible(name) {
                let text = DefaultValue.quoted(SQLName.unquoted(spelling[index]))
                items[index] = .literal(text)
                spelling[index] = text
            } else if certain(name) {
                spelling[index] = SQLName.printed(SQLName.unquoted(spelling[index]))
            } else {
                open.append(index)
            }
        }
        doubleQuoted = open
        normalized = NormalizedSQL(items: items)
    }

    /// Whether the place alone shows a name: before `.` and `(`, behind `.`, AS, COLLATE, FROM and their like.
    private static func isSurelyName(_ index: Int, in items: [NormalizedSQL.Item]) -> Bool {
        if index + 1 < items.count, items[index + 1] == .symbol(".") || items[index + 1] == .symbol("(") {
            return true
        }
        guard index > 0 else { return false }
        switch items[index - 1] {
        case .symbol("."), .keyword("as"), .keyword("collate"), .keyword("join"), .keyword("into"),
            .keyword("update"), .keyword("table"):
            return true
        case .keyword("from"):
            // `a IS DISTINCT FROM "b"` compares.
            return index < 2 || items[index - 2] != .keyword("distinct")
        default:
            return false
        }
    }

    private static func spelling(of item: NormalizedSQL.Item, _ token: Token, in source: SQLSource) -> String
    {
        switch item {
        case .keyword(let word):
            return word.uppercasedASCII
        case .word(let folded):
            guard token.kind == .word else {
                let name = token.name(in: source) ?? folded
                let isOpen =
                    token.kind == .quotedIdentifier
                    && source.bytes[token.range.lowerBound] == UInt8(ascii: "\"")
                return isOpen ? SQLName.quoted(name) : SQLName.printed(name)
            }
            return Keywords.operators.contains(folded) ? folded.uppercasedASCII : token.text(in: source)
        case .literal(let text), .symbol(let text), .illegal(let text):
            return text
        }
    }

    /// Numbers and blobs in one spelling: the case of `1E3`, `0X1F` and `X'AB'` has no meaning.
    private static func canonicalLiteral(_ item: NormalizedSQL.Item, _ token: Token) -> NormalizedSQL.Item {
        guard case .literal(let text) = item, token.kind == .number || token.kind == .blob else {
            return item
        }
        return .literal(text.foldedASCII)
    }
}
