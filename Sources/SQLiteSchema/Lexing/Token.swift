/// A token of SQL: its kind, and the bytes of its source that it covers.
///
/// The kinds are those of SQLite's tokenize.c, except that keywords are words: whether `end` is a keyword or
/// a name depends on its position (https://www.sqlite.org/lang_keywords.html).
public struct Token: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// A keyword or an unquoted identifier.
        case word
        /// `"x"`, `` `x` `` or `[x]`.
        case quotedIdentifier
        /// `'x'`.
        case string
        /// `x'0F'`.
        case blob
        /// `1`, `1.`, `.5`, `1e-3`, `0x1F`, `1_000`.
        case number
        /// `?`, `?1`, `:a`, `@a`, `$a::b(c)`, `#a`.
        case variable
        /// An operator or a punctuation mark, of one to three bytes.
        case symbol
        /// `-- ...` without the line ending.
        case lineComment
        /// `/* ... */`; the end of the text ends it too.
        case blockComment
        /// Spaces, tabs, line endings, form feeds, or a byte order mark.
        case whitespace
        /// What SQLite refuses as an "unrecognized token".
        case illegal(Illegal)
    }

    /// The reason why SQLite refuses a token.
    public enum Illegal: String, Sendable, Hashable {
        case unterminatedString = "unterminated string"
        case unterminatedIdentifier = "unterminated quoted identifier"
        case malformedBlob = "malformed blob literal"
        case malformedNumber = "malformed number"
        case malformedVariable = "malformed variable"
        /// SQLite takes a NUL for the end of the text and never sees what follows it.
        case nul = "NUL character"
        case strayCharacter = "character that begins no token"
    }

    public let kind: Kind

    /// Byte offsets in the source. Never empty.
    public let range: Range<Int>

    public init(kind: Kind, range: Range<Int>) {
        self.kind = kind
        self.range = range
    }

    /// Whether a parser sees the token: false for whitespace and comments.
    public var isSignificant: Bool {
        switch kind {
        case .whitespace, .lineComment, .blockComment: false
        default: true
        }
    }
}
