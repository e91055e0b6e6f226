extension VirtualTable {
    public var isFullText: Bool { ["fts3", "fts4", "fts5"].contains(module.foldedASCII) }

    /// The value after `content=`, unquoted; nil if the table stores its own text.
    public var content: String? { option("content") }

    /// Whether the text is only in this table, as far as its definition says.
    public var holdsText: Bool { isFullText && content == nil }

    /// The name by which the index reads the rowid of its content
    /// (https://www.sqlite.org/fts5.html#the_content_rowid_option).
    public var rowidName: String { option("content_rowid") ?? "rowid" }

    /// Whether the text is in another table (https://www.sqlite.org/fts5.html#external_content_tables).
    public var isExternalContent: Bool { content?.isEmpty == false }

    /// Whether the text is stored nowhere, so that the index is the only copy of its words
    /// (https://www.sqlite.org/fts5.html#contentless_tables).
    public var isContentless: Bool { content?.isEmpty == true }

    /// The tokenizer of an FTS5 table that is not one of FTS5's own, folded, without its arguments; `porter` wraps another
    /// (https://www.sqlite.org/fts5.html#tokenizers).
    package var tokenizer: String? {
        guard module.foldedASCII == "fts5" else { return nil }
        let words = option("tokenize")?.split(whereSeparator: \.isWhitespace) ?? []
        let name = words.lazy.map { Self.unquoted(String($0)).foldedASCII }.first { $0 != "porter" }
        return name.flatMap { ["unicode61", "ascii", "trigram"].contains($0) ? nil : $0 }
    }

    /// Returns the value of an option of a full-text table, unquoted; nil if it is not given.
    ///
    /// FTS3 has no options and takes what looks like one for a column. FTS4 needs the full name. FTS5 accepts
    /// the beginning of a name (`sqlite3Fts5ConfigParse`), with blanks around the equals sign.
    public func option(_ name: String) -> String? {
        for argument in arguments {
            let parts = argument.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let key = Self.trimmed(parts[0]).foldedASCII
            let isMatch =
                switch module.foldedASCII {
                case "fts4": key == name
                case "fts5": !key.isEmpty && Self.options.first { $0.hasPrefix(key) } == name
                default: false
                }
            if isMatch { return Self.unquoted(Self.trimmed(parts[1])) }
        }
        return nil
    }

    /// The options of FTS5, in the order in which it looks for one.
    private static let options = [
        "prefix", "tokenize", "content", "contentless_delete", "contentless_unindexed", "content_rowid",
        "columnsize",
        "locale", "detail", "tokendata",
    ]

    /// The columns of an FTS5 table, as its definition names them; nil for another module.
    ///
    /// The module takes the first word of each argument that is not an option
    /// (https://www.sqlite.org/fts5.html#fts5_table_creation_and_initialization).
    package var fullTextColumns: [String]? {
        guard module.foldedASCII == "fts5" else { return nil }
        return arguments.compactMap { argument in
            let source = SQLSource(name: "", argument.text)
            let words = Lexer(source).filter(\.isSignificant).map { $0.text(in: source) }
            guard let first = words.first, words.dropFirst().first != "=" else { return nil }
            return Self.unquoted(first)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank: (Character) -> Bool = { " \t\n\r".contains($0) }
        return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    static func unquoted(_ text: String) -> String {
        let bytes = text.utf8
        switch bytes.first {
        case UInt8(ascii: "["):
            guard bytes.last == UInt8(ascii: "]") else { return text }
            return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
        case let quote? where [UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`")].contains(quote):
            return text.unenclosed(from: quote)
        default: return text
        }
    }
}
