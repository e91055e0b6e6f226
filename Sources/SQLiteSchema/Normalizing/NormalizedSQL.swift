/// A statement by the meaning of its tokens, so that a different spelling does not count as a change.
///
/// Whitespace and comments are dropped; the ASCII case of keywords and names is folded; the quotes of a name
/// are dropped; `==` is `=` and `!=` is `<>`. Strings, numbers, blobs and variables are unchanged. In a
/// CREATE statement TEMP, IF NOT EXISTS and the schema before the created object's name are dropped, as in
/// sqlite_schema (https://www.sqlite.org/schematab.html), and a `'string'` in place of a name is a name.
///
/// A quoted name that would be a keyword without its quotes differs from that keyword: `"null"` is a column,
/// `null` a value. But a name in double quotes that SQLite would take for a text, since no column has that
/// name (https://www.sqlite.org/quirks.html#dblquote), is a name here too, with its case folded. What only a
/// parser can see to be equal (the order of a column's constraints, `<>` and `NOT =`) is not equal here.
public struct NormalizedSQL: Sendable, Hashable {
    /// A token's meaning.
    public enum Item: Sendable, Hashable {
        /// A word that is not a name at its position, in lower case.
        case keyword(String)
        /// A name, unquoted and in lower case, or a keyword that may also be a name, such as `trigger`.
        case word(String)
        /// A string, number, blob or variable as it is written.
        case literal(String)
        case symbol(String)
        /// A token that SQLite refuses, as it is written.
        case illegal(String)
    }

    public var items: [Item]

    public init(items: [Item]) { self.items = items }

    /// Creates the meaning of tokens; insignificant tokens are ignored.
    public init(_ tokens: some Sequence<Token>, in source: SQLSource) {
        items = Normalizer(source: source, tokens: tokens.filter(\.isSignificant)).items()
        sortTableOptions()
    }

    /// Creates the meaning of a text with one statement or a part of one; a `;` at its end makes no
    /// difference.
    public init(sql: String) {
        let source = SQLSource(name: "", sql)
        var tokens = Lexer(source).filter(\.isSignificant)
        while tokens.last?.isSymbol(";", in: source) ?? false { tokens.removeLast() }
        self.init(tokens, in: source)
    }

    /// Returns the statement with names replaced. The keys must be in lower case; the new names may be in any
    /// case.
    ///
    /// Every name that equals a key is replaced, whatever it names. Keywords are kept if their neighbours
    /// identify them.
    public func renamingIdentifiers(_ names: [String: String]) -> NormalizedSQL {
        NormalizedSQL(
            items: items.map { item in
                guard case .word(let name) = item, let new = names[name] else { return item }
                return .word(new.foldedASCII)
            })
    }
}

extension SQLStatement {
    /// The meaning of the statement's tokens.
    public var normalized: NormalizedSQL { NormalizedSQL(tokens, in: source) }
}
