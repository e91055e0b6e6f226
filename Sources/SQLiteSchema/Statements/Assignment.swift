/// An assignment `column = value` in an UPDATE's SET list.
public struct Assignment: Sendable, Hashable {
    /// The assigned columns: several for `(a, b) = (1, 2)`.
    public var columns: [String]
    /// The column whose unchanged value is assigned, qualified or not; nil for any other value.
    public var source: String?
    /// The names in the value, unquoted, in order.
    public var names: [String]
}

extension SQLStatement {
    /// The assignments of an UPDATE, in order; empty for any other statement
    /// (https://www.sqlite.org/lang_update.html).
    public var assignments: [Assignment] {
        guard let list = assignmentTokens else { return [] }
        var (assignments, start, depth) = ([Assignment](), list.lowerBound, 0)
        for place in list {
            if tokens[place].isSymbol("(", in: source) { depth += 1 }
            if tokens[place].isSymbol(")", in: source) { depth -= 1 }
            guard depth == 0, tokens[place].isSymbol(",", in: source) else { continue }
            assignments += assignment(tokens[start..<place])
            start = place + 1
        }
        return assignments + assignment(tokens[start..<list.upperBound])
    }

    /// The tokens of an UPDATE's assignments, after SET; nil for any other statement.
    var assignmentTokens: Range<Int>? {
        guard case .update = action, let update = tokens.lastIndex(where: isOutermostUpdate),
            let set = tokens.indices.first(where: { $0 > update && tokens[$0].isWord("set", in: source) })
        else { return nil }
        var depth = 0
        for place in (set + 1)..<tokens.count {
            if tokens[place].isSymbol("(", in: source) { depth += 1 }
            if tokens[place].isSymbol(")", in: source) { depth -= 1 }
            if depth == 0, endsAssignments(place) { return (set + 1)..<place }
        }
        return (set + 1)..<tokens.count
    }

    /// Returns whether a token is UPDATE. The last one is the statement's own, even after WITH.
    private func isOutermostUpdate(_ token: Token) -> Bool { token.isWord("update", in: source) }

    private func endsAssignments(_ place: Int) -> Bool {
        let token = tokens[place]
        if ["where", "returning", "order", "limit"].contains(where: { token.isWord($0, in: source) }) {
            return true
        }
        return token.isWord("from", in: source) && !tokens[place - 1].isWord("distinct", in: source)
    }

    private func assignment(_ tokens: ArraySlice<Token>) -> [Assignment] {
        guard let equals = tokens.firstIndex(where: { $0.isSymbol("=", in: source) }) else { return [] }
        let columns = tokens[..<equals].compactMap { $0.name(in: source) }
        var value = tokens[(equals + 1)...]
        while value.first?.isSymbol("(", in: source) == true, value.last?.isSymbol(")", in: source) == true,
            value.dropFirst().dropLast().allSatisfy({ !$0.isSymbol("(", in: source) })
        {
            value = value.dropFirst().dropLast()
        }
        let isQualified = value.count == 3 && value[value.startIndex + 1].isSymbol(".", in: source)
        let isPlain = columns.count == 1 && (value.count == 1 || isQualified)
        return [
            Assignment(
                columns: columns, source: isPlain ? value.last?.identifier(in: source) : nil,
                names: value.compactMap { $0.identifier(in: source) })
        ]
    }
}
