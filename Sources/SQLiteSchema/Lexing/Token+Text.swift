extension Token {
    /// Returns the token as it is written, with U+FFFD for bytes that are not UTF-8.
    public func text(in source: SQLSource) -> String { source.text(in: range) }

    /// Returns the name that an unquoted word or a quoted identifier stands for; nil for other tokens.
    ///
    /// `"a""b"` is `a"b`, `[a]` is `a`, and a word stands for itself, with its case. Keywords are returned
    /// too: only a parser can distinguish them from names.
    public func identifier(in source: SQLSource) -> String? {
        switch kind {
        case .word: text(in: source)
        case .quotedIdentifier: String(decoding: unquotedBytes(in: source), as: UTF8.self)
        default: nil
        }
    }

    /// Returns the name that the token stands for if SQLite's grammar expects a name (`nm` of parse.y): like
    /// `identifier(in:)`, and a `'string'` counts as a name as well (https://www.sqlite.org/quirks.html).
    public func name(in source: SQLSource) -> String? {
        kind == .string ? String(decoding: unquotedBytes(in: source), as: UTF8.self) : identifier(in: source)
    }

    /// Returns the value of a `'string'`; nil for other tokens.
    public func stringValue(in source: SQLSource) -> String? {
        kind == .string ? name(in: source) : nil
    }

    /// Returns whether this is the given word, unquoted, in any case. The given word must be in lower case
    /// ASCII.
    public func isWord(_ word: String, in source: SQLSource) -> Bool {
        guard kind == .word, range.count == word.utf8.count else { return false }
        var offset = range.lowerBound
        for byte in word.utf8 {
            guard lowerASCII(source.bytes[offset]) == byte else { return false }
            offset += 1
        }
        return true
    }

    /// Returns whether this is the given operator or punctuation mark.
    public func isSymbol(_ symbol: String, in source: SQLSource) -> Bool {
        guard kind == .symbol, range.count == symbol.utf8.count else { return false }
        var offset = range.lowerBound
        for byte in symbol.utf8 {
            guard source.bytes[offset] == byte else { return false }
            offset += 1
        }
        return true
    }

    /// Returns the bytes between the quotes, with doubled quotes made single; for a token without quotes all
    /// its bytes.
    func unquotedBytes(in source: SQLSource) -> [UInt8] {
        guard kind == .string || kind == .quotedIdentifier, range.count >= 2 else {
            return Array(source.bytes[range])
        }
        let quote = source.bytes[range.lowerBound]
        let inner = source.bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
        guard quote != UInt8(ascii: "["), inner.contains(quote) else { return Array(inner) }
        var bytes: [UInt8] = []
        var skip = false
        for byte in inner {
            skip = byte == quote && !skip
            if !skip { bytes.append(byte) }
        }
        return bytes
    }
}
