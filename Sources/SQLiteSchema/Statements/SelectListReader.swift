/// A reader of the items between SELECT and FROM.
struct SelectListReader {
    let source: SQLSource
    let tokens: [Token]

    /// Returns the items of the SELECT with its keyword at an index of the tokens.
    func items(from select: Int) -> [CopyItem] { ranges(from: select).map(item) }

    /// Returns the tokens of each item, without its alias.
    func itemTokens(from select: Int) -> [Range<Int>] { ranges(from: select).map(withoutAlias) }

    /// Returns the items' names in a table created from them: an alias, otherwise a column's own name; nil if
    /// SQLite makes a name up, and for `*`.
    func names(from select: Int) -> [String?] {
        ranges(from: select).map { range in
            if withoutAlias(range) != range { return tokens[range.upperBound - 1].name(in: source) }
            guard case .column(_, let name) = item(range) else { return nil }
            return name
        }
    }

    private func ranges(from select: Int) -> [Range<Int>] {
        var cursor = TokenCursor(source: source, tokens: tokens)
        cursor.position = select + 1
        cursor.accept("distinct", "all")
        let ends = [
            "from", "where", "group", "having", "order", "limit", "window", "union", "intersect", "except",
        ]
        var ranges: [Range<Int>] = []
        var start = cursor.position
        while !cursor.isAtEnd {
            if ends.contains(where: { cursor.isWord($0) }), cursor.position > start,
                !cursor.isWord("distinct", ahead: -1), !isFallbackName(cursor)
            {
                break
            }
            if cursor.isSymbol(",") {
                ranges.append(start..<cursor.position)
                start = cursor.position + 1
            }
            if cursor.isSymbol("(") { cursor.skipParentheses() } else { cursor.position += 1 }
        }
        if cursor.position > start { ranges.append(start..<min(cursor.position, tokens.count)) }
        return ranges
    }

    /// Returns whether WINDOW is a name here: it is a keyword only before `name AS` (tokenize.c,
    /// `analyzeWindowKeyword`).
    private func isFallbackName(_ cursor: TokenCursor) -> Bool {
        cursor.isWord("window") && !cursor.isWord("as", ahead: 2)
    }

    private func item(_ range: Range<Int>) -> CopyItem {
        let bare = Array(tokens[withoutAlias(range)])
        let names = bare.map { isColumnName($0) ? $0.identifier(in: source) : nil }
        let isStar = bare.last?.isSymbol("*", in: source) ?? false
        let dotsStand = bare.indices.allSatisfy { $0 % 2 == 0 || bare[$0].isSymbol(".", in: source) }
        if bare.count % 2 == 1, bare.count <= 5, dotsStand {
            let parts = stride(from: 0, to: bare.count, by: 2).compactMap { names[$0] }
            let count = bare.count / 2 + 1
            if isStar, parts.count == count - 1 { return .star(table: parts.last) }
            if parts.count == count, let name = parts.last {
                return .column(table: count > 1 ? parts[count - 2] : nil, name: name)
            }
        }
        return .expression(NormalizedSQL(bare, in: source), columns: columns(of: bare))
    }

    /// Returns whether a token is a column's name: TRUE, NULL and CURRENT_TIME are words, but not columns.
    private func isColumnName(_ token: Token) -> Bool {
        token.kind == .quotedIdentifier
            || token.kind == .word && !Keywords.neverNames.contains(token.text(in: source).foldedASCII)
    }

    /// Returns the item without `AS alias`, or without an alias that has no AS.
    private func withoutAlias(_ range: Range<Int>) -> Range<Int> {
        guard range.count >= 2 else { return range }
        let last = tokens[range.upperBound - 1]
        let before = tokens[range.upperBound - 2]
        guard last.name(in: source) != nil else { return range }
        if before.isWord("as", in: source) { return range.lowerBound..<(range.upperBound - 2) }
        guard last.kind == .string || isColumnName(last) else { return range }
        if last.isWord("end", in: source), closesCase(range) { return range }
        let endsOperand: Bool =
            switch before.kind {
            case .word:
                before.isWord("end", in: source) || before.isWord("null", in: source)
                    || isColumnName(before)
                        && !Keywords.operators.contains(before.text(in: source).foldedASCII)
            case .symbol: before.isSymbol(")", in: source)
            case .illegal: false
            default: true
            }
        return endsOperand ? range.lowerBound..<(range.upperBound - 1) : range
    }

    /// Returns whether the END that ends the item belongs to a CASE, and is not a name.
    private func closesCase(_ range: Range<Int>) -> Bool {
        let words = tokens[range.dropLast()]
        return words.count { $0.isWord("case", in: source) } > words.count { $0.isWord("end", in: source) }
    }

    /// Returns the names that may be columns, without keywords, functions, qualifiers, types of a CAST and
    /// collations.
    private func columns(of tokens: [Token]) -> [String] {
        let items = NormalizedSQL(tokens, in: source).items
        guard items.count == tokens.count else { return [] }
        var columns: [String] = []
        var inType = false
        for index in items.indices {
            if items[index] == .keyword("as") { inType = true }
            if items[index] == .symbol(")") || items[index] == .symbol(",") { inType = false }
            guard case .word(let word) = items[index], !inType,
                let name = tokens[index].identifier(in: source)
            else { continue }
            let next = index + 1 < items.count ? items[index + 1] : nil
            if next == .symbol("(") || next == .symbol(".") { continue }
            if index > 0, items[index - 1] == .keyword("collate") { continue }
            if tokens[index].kind == .word, Keywords.operators.contains(word) { continue }
            columns.append(name)
        }
        return columns
    }
}
