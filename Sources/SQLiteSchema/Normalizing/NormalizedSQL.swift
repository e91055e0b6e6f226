/// A statement by the meaning of its tokens, so that two spellings of the same can be told from a change.
///
/// Whitespace and comments are gone; ASCII case of keywords and names is folded; the way a name is quoted is
/// gone; `==` is `=` and `!=` is `<>`. Strings, numbers, blobs and variables stay exactly as they are.
/// Of a CREATE statement TEMP, IF NOT EXISTS and the schema before the created object's name are dropped, as
/// in sqlite_schema (https://www.sqlite.org/schematab.html), and a `'string'` in a name's place is a name.
///
/// A quoted name that would be a keyword without its quotes stays apart from that keyword: `"null"` is a
/// column, `null` a value. But a name in double quotes that SQLite would take for a text, since no column is
/// called so (https://www.sqlite.org/quirks.html#dblquote), is a name here too, its case folded. What is
/// alike only to a parser (the order of a column's constraints, `<>` against `NOT =`) is not equal here.
public struct NormalizedSQL: Sendable, Hashable {
    /// A token's meaning.
    public enum Item: Sendable, Hashable {
        /// A word that is no name where it stands, in lower case.
        case keyword(String)
        /// A name, unquoted and in lower case, or a keyword that may as well be one, such as `trigger`.
        case word(String)
        /// A string, number, blob or variable as it is written.
        case literal(String)
        case symbol(String)
        /// What SQLite refuses, as it is written.
        case illegal(String)
    }

    public var items: [Item]

    public init(items: [Item]) { self.items = items }

    /// The meaning of tokens, insignificant ones among them or not.
    public init(_ tokens: some Sequence<Token>, in source: SQLSource) {
        items = Normalizer(source: source, tokens: tokens.filter(\.isSignificant)).items()
        sortTableOptions()
    }

    /// The meaning of a text that holds one statement or a part of one; a `;` at its end makes no difference.
    public init(sql: String) {
        let source = SQLSource(name: "", sql)
        var tokens = Lexer(source).filter(\.isSignificant)
        while tokens.last?.isSymbol(";", in: source) ?? false { tokens.removeLast() }
        self.init(tokens, in: source)
    }

    /// The same with names replaced: the keys are in lower case, the new names may be in any.
    ///
    /// Every name that is equal to a key is replaced, whatever it names; keywords are left alone as far as
    /// their neighbours show them to be such.
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
