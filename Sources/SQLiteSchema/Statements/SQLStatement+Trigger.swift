extension SQLStatement {
    /// The statements between BEGIN and END of a CREATE TRIGGER, at their positions in the same source; empty
    /// for any other statement.
    ///
    /// No expression contains a `;`, so each `;` ends a statement.
    public var triggerBody: [SQLStatement] {
        guard case .createTrigger = action, let begin = bodyStart else { return [] }
        var body: [SQLStatement] = []
        var start = begin + 1
        for place in start..<tokens.count where tokens[place].isSymbol(";", in: source) {
            if place > start {
                let range = tokens[start].range.lowerBound..<tokens[place - 1].range.upperBound
                body.append(
                    SQLStatement(
                        source: source, range: range, terminatorEnd: tokens[place].range.upperBound,
                        tokens: Array(tokens[start..<place]), index: index))
            }
            start = place + 1
        }
        return body
    }

    /// A column may be named `begin`, but no expression continues with the first word of a statement.
    private var bodyStart: Int? {
        let verbs = ["select", "values", "with", "insert", "replace", "update", "delete"]
        return tokens.indices.dropLast().first { place in
            tokens[place].isWord("begin", in: source)
                && verbs.contains { tokens[place + 1].isWord($0, in: source) }
        }
    }
}
