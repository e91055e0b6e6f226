/// A builder of the items of `NormalizedSQL` from significant tokens.
struct Normalizer {
    private let source: SQLSource
    private let tokens: [Token]
    private var result: [NormalizedSQL.Item] = []
    private var openCases = 0
    /// Tokens that begin an item of a CREATE TABLE's body: a string there is a column's name.
    private var tableColumnStarts: Set<Int> = []
    /// The token with the table of an index or a trigger: a string there is a name.
    private var objectTable: Int?

    init(source: SQLSource, tokens: [Token]) {
        self.source = source
        self.tokens = tokens
    }

    func items() -> [NormalizedSQL.Item] {
        var normalizer = self
        normalizer.result.reserveCapacity(tokens.count)
        var index = normalizer.createHead()
        while index < tokens.count {
            normalizer.result.append(normalizer.item(at: index))
            index += 1
        }
        return normalizer.result
    }

    /// Writes the beginning of a CREATE statement as sqlite_schema has it, and returns how many tokens it
    /// took.
    private mutating func createHead() -> Int {
        var cursor = TokenCursor(source: source, tokens: tokens)
        guard cursor.accept("create") else { return 0 }
        cursor.accept("temp", "temporary")
        let kinds = [
            ["unique", "index"], ["virtual", "table"], ["table"], ["index"], ["view"], ["trigger"],
        ]
        guard
            let kind = kinds.first(where: { kind in
                kind.indices.allSatisfy { cursor.isWord(kind[$0], ahead: $0) }
            })
        else { return 0 }
        cursor.position += kind.count
        cursor.accept(sequence: "if", "not", "exists")
        guard let token = cursor.isSymbol(".", ahead: 1) ? cursor.token(ahead: 2) : cursor.token(),
            cursor.qualifiedName() != nil
        else { return 0 }
        result = [.keyword("create")] + kind.map { Keywords.reserved.contains($0) ? .keyword($0) : .word($0) }
        result.append(.word(name(token)))
        if kind == ["table"] { tableColumnStarts = Self.columnStarts(cursor) }
        if kind.last == "index" || kind == ["trigger"] { objectTable = Self.tableIndex(cursor) }
        return cursor.position
    }

    private static func columnStarts(_ cursor: TokenCursor) -> Set<Int> {
        var cursor = cursor
        guard cursor.accept(symbol: "(") else { return [] }
        var starts: Set<Int> = [cursor.position]
        while !cursor.isAtEnd, !cursor.isSymbol(")") {
            if cursor.isSymbol("(") {
                cursor.skipParentheses()
            } else {
                if cursor.isSymbol(",") { starts.insert(cursor.position + 1) }
                cursor.position += 1
            }
        }
        return starts
    }

    private static func tableIndex(_ cursor: TokenCursor) -> Int? {
        var cursor = cursor
        while !cursor.isAtEnd, !cursor.isWord("on") { cursor.position += 1 }
        return cursor.isSymbol(".", ahead: 2) ? cursor.position + 3 : cursor.position + 1
    }

    private mutating func item(at index: Int) -> NormalizedSQL.Item {
        let token = tokens[index]
        switch token.kind {
        case .word:
            return word(at: index)
        case .quotedIdentifier:
            return isDefaultText ? .literal(quotedText(token)) : .word(name(token))
        case .string:
            let isName =
                tableColumnStarts.contains(index) || objectTable == index
                || [.keyword("references"), .keyword("constraint"), .keyword("collate")].contains(result.last)
            return isName ? .word(name(token)) : .literal(exactText(source.bytes[token.range]))
        case .number, .blob, .variable:
            return .literal(exactText(source.bytes[token.range]))
        case .symbol:
            let text = token.text(in: source)
            return .symbol(text == "==" ? "=" : text == "!=" ? "<>" : text)
        case .illegal, .whitespace, .lineComment, .blockComment:
            return .illegal(exactText(source.bytes[token.range]))
        }
    }

    /// Whether the next name is the value of a DEFAULT: `DEFAULT name` is the text of that name, quoted or
    /// not, with its case (rule `ccons ::= DEFAULT scanpt id` of parse.y).
    private var isDefaultText: Bool { result.last == .keyword("default") }

    private mutating func word(at index: Int) -> NormalizedSQL.Item {
        let folded = exactText(source.bytes[tokens[index].range].map(lowerASCII))
        if Keywords.reserved.contains(folded) {
            if folded == "case" { openCases += 1 }
            return .keyword(folded)
        }
        if Keywords.values.contains(folded) { return .keyword(folded) }
        if isDefaultText { return .literal(quotedText(tokens[index])) }
        guard Keywords.contextual.contains(folded), isKeyword(folded, at: index) else { return .word(folded) }
        return .keyword(folded)
    }

    /// Returns whether the neighbours of a word identify it as a keyword.
    private mutating func isKeyword(_ word: String, at index: Int) -> Bool {
        func follows(_ words: String...) -> Bool {
            words.contains { result.last == .keyword($0) || result.last == .word($0) }
        }
        var ahead = TokenCursor(source: source, tokens: tokens)
        ahead.position = index + 1
        switch word {
        case "key": return result.last == .keyword("primary") || result.last == .keyword("foreign")
        case "by": return follows("group", "order", "partition", "indexed")
        case "action": return follows("no")
        case "row": return follows("each")
        case "begin":
            return ["select", "values", "with", "insert", "replace", "update", "delete"].contains {
                ahead.isWord($0)
            }
        case "end":
            if openCases > 0 {
                openCases -= 1
                return true
            }
            return result.last == .symbol(";")
        case "asc", "desc":
            switch result.last {
            case .word, .literal, .symbol(")"), .keyword("end"), .keyword("null"): break
            default: return false
            }
            return ahead.isAtEnd || [",", ")", ";"].contains { ahead.isSymbol($0) }
                || ["nulls", "limit", "rows", "range", "groups"].contains { ahead.isWord($0) }
        default:
            // NATURAL LEFT OUTER JOIN is the longest.
            for _ in 0..<2 where Keywords.joins.contains(where: { ahead.isWord($0) }) { ahead.position += 1 }
            return ahead.isWord("join")
        }
    }

    private func name(_ token: Token) -> String { exactText(token.unquotedBytes(in: source).map(lowerASCII)) }

    private func quotedText(_ token: Token) -> String {
        "'"
            + exactText(
                token.unquotedBytes(in: source).flatMap { $0 == UInt8(ascii: "'") ? [$0, $0] : [$0] }) + "'"
    }

    /// Returns the text of bytes. If they are not UTF-8, bytes above 127 are written as hex, so that
    /// different bytes stay different.
    private func exactText(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return bytes.reduce(into: "") { text, byte in
            if byte < 0x80 {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\u{FFFD}" + String(byte, radix: 16)
            }
        }
    }
}
