/// An expression or a query within a statement: compared by meaning, printed with names as their author spelt
/// them.
///
/// Two fragments are equal if their `normalized` tokens are. The spelling is kept because folding can have an
/// effect: `AS Total` in a view names a column of the result, and a name in double quotes that no column has
/// is a text (https://www.sqlite.org/quirks.html#dblquote).
public struct SQLFragment: Sendable {
    /// The tokens by meaning.
    public internal(set) var normalized: NormalizedSQL

    /// How each item of `normalized` is printed.
    var spelling: [String]

    /// Items in double quotes that may be names or texts; which is not known yet.
    var doubleQuoted: [Int] = []

    /// Creates the fragment from tokens; whitespace and comments among them make no difference.
    init(_ tokens: some Sequence<Token>, in source: SQLSource) {
        let significant = tokens.filter(\.isSignificant)
        var items = NormalizedSQL(significant, in: source).items
        guard items.count == significant.count else {
            // A whole CREATE statement. Its beginning is not kept as it is written.
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

    /// Creates the fragment from a text.
    public init(sql: String) {
        let source = SQLSource(name: "", sql)
        self.init(Lexer(source), in: source)
    }

    public var items: [NormalizedSQL.Item] { normalized.items }

    /// The folded names in the fragment: columns, tables, functions, and keywords that may be names.
    public var names: Set<String> {
        items.reduce(into: []) { if case .word(let name) = $1 { $0.insert(name) } }
    }

    /// Returns whether the fragments differ only in renamed names, and in texts that one has in single quotes
    /// and the other in double quotes (as ALTER TABLE RENAME rewrites them).
    ///
    /// - Parameter renames: the possible new names by folded old name. A word may also be unchanged, since
    ///   the same word can stand for something that was not renamed.
    package func matches(_ new: SQLFragment, renames: [String: Set<String>]) -> Bool {
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

    /// Returns the text that a name in double quotes may be, as a literal.
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

    /// The lines of the fragment, with each clause of a query on a separate line.
    public var lines: [String] { text(breaking: "").split(separator: "\n").map(String.init) }

    /// Returns the fragment with a line break before each clause of a query that is not in parentheses.
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
