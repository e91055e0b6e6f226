/// The parentheses of a statement, and the parts of ranges of its tokens.
struct TokenGroups {
    private let source: SQLSource
    private let tokens: [Token]
    /// The position of the closing parenthesis by that of its opening one; an unclosed one has no entry.
    private let closings: [Int: Int]

    init(_ statement: SQLStatement) {
        (source, tokens) = (statement.source, statement.tokens)
        var closings: [Int: Int] = [:]
        var open: [Int] = []
        for (place, token) in statement.tokens.enumerated() where token.kind == .symbol {
            switch statement.source.bytes[token.range.lowerBound] {
            case UInt8(ascii: "("): open.append(place)
            case UInt8(ascii: ")"): if let opening = open.popLast() { closings[opening] = place }
            default: break
            }
        }
        self.closings = closings
    }

    /// Returns where the parenthesis at a position closes; nil if none opens there.
    func closing(at position: Int) -> Int? { closings[position] }

    /// Returns the parts of a range between its commas; commas inside parentheses do not count.
    func split(_ range: Range<Int>) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        var index = range.lowerBound
        while index < range.upperBound {
            if let close = closings[index] {
                index = close
            } else if tokens[index].isSymbol(",", in: source) {
                parts.append(start..<index)
                start = index + 1
            }
            index += 1
        }
        return parts + [start..<range.upperBound]
    }

    /// Returns the expression in a range, without parentheses around all of it.
    func expression(_ range: Range<Int>) -> SQLFragment {
        SQLFragment(tokens[withoutParentheses(range)], in: source)
    }

    /// Returns the range without parentheses around all of it, unless they contain a query or a row of
    /// values.
    func withoutParentheses(_ range: Range<Int>) -> Range<Int> {
        var range = range
        while range.count > 2, closings[range.lowerBound] == range.upperBound - 1 {
            let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
            if beginsQuery(inner) || split(inner).count > 1 { break }
            range = inner
        }
        return range
    }

    /// Returns whether a range begins as a query does. WITH may be a column: then no name follows it.
    func beginsQuery(_ range: Range<Int>) -> Bool {
        let first = tokens[range.lowerBound]
        if first.isWord("select", in: source) || first.isWord("values", in: source) {
            return true
        }
        return range.count > 1 && first.isWord("with", in: source)
            && tokens[range.lowerBound + 1].name(in: source) != nil
    }
}
