/// Reads CREATE INDEX, after its name.
enum IndexReader {
    /// Reads `ON table (term, ...) [WHERE condition]` (https://www.sqlite.org/lang_createindex.html).
    static func read(_ name: String, isUnique: Bool, _ cursor: inout DDLCursor) throws(SchemaError) -> Index {
        try cursor.expect("on")
        var index = Index(
            name: name, table: try cursor.name("the name of a table"), terms: [], isUnique: isUnique)
        for part in cursor.groups.split(try cursor.parenthesis()) {
            index.terms.append(try term(part, cursor))
        }
        if cursor.accept("where") {
            guard !cursor.isAtEnd else { throw cursor.failure("expected a condition") }
            index.condition = cursor.groups.expression(cursor.position..<cursor.tokens.count)
            cursor.position = cursor.tokens.count
        }
        return index
    }

    /// Reads `expression [COLLATE name] [ASC | DESC] [NULLS FIRST | LAST]`.
    static func term(_ part: Range<Int>, _ cursor: DDLCursor) throws(SchemaError) -> Index.Term {
        let source = cursor.source
        let tokens = cursor.tokens
        var range = part
        func endsWith(_ words: String..., before: Int = 0) -> Bool {
            let last = range.upperBound - 1 - before
            return last > range.lowerBound && words.contains { tokens[last].isWord($0, in: source) }
                && !tokens[last - 1].isWord("collate", in: source)
        }
        if endsWith("first", "last"), endsWith("nulls", before: 1) {
            range = range.lowerBound..<(range.upperBound - 2)
        }
        var isDescending = false
        if endsWith("asc", "desc") {
            isDescending = tokens[range.upperBound - 1].isWord("desc", in: source)
            range = range.lowerBound..<(range.upperBound - 1)
        }
        guard !range.isEmpty, !cursor.groups.beginsQuery(range) else {
            throw cursor.failure("expected a column or an expression", at: part.lowerBound)
        }
        range = cursor.groups.withoutParentheses(range)
        var collation: String?
        while true {
            var operand = range
            while operand.count > 2, tokens[operand.upperBound - 2].isWord("collate", in: source) {
                operand = operand.lowerBound..<(operand.upperBound - 2)
            }
            guard operand.count < range.count, isOperand(operand, cursor) else { break }
            // If there are several, the last one counts.
            collation = collation ?? tokens[range.upperBound - 1].name(in: source)
            range = cursor.groups.withoutParentheses(operand)
        }
        let value: Index.Term.Value
        if range.count == 1, isColumnName(tokens[range.lowerBound], in: source),
            let name = tokens[range.lowerBound].name(in: source)
        {
            value = .column(name)
        } else {
            value = .expression(cursor.groups.expression(range))
        }
        return Index.Term(value, collation: collation, isDescending: isDescending)
    }

    private static func isColumnName(_ token: Token, in source: SQLSource) -> Bool {
        guard token.kind == .word else { return token.name(in: source) != nil }
        return !Keywords.neverNames.contains(token.text(in: source).foldedASCII)
    }

    /// Returns whether a COLLATE after the range applies to the whole of it, and not to its last operand.
    private static func isOperand(_ range: Range<Int>, _ cursor: DDLCursor) -> Bool {
        let source = cursor.source
        let last = range.upperBound - 1
        if range.count == 1 || cursor.groups.closing(at: range.lowerBound) == last { return true }
        if cursor.tokens[range.lowerBound].isWord("case", in: source) {
            return cursor.tokens[last].isWord("end", in: source) && isOneCase(range, cursor)
        }
        let isCall = range.count > 2 && cursor.tokens[range.lowerBound].name(in: source) != nil
        return isCall && cursor.groups.closing(at: range.lowerBound + 1) == last
    }

    private static func isOneCase(_ range: Range<Int>, _ cursor: DDLCursor) -> Bool {
        var depth = 0
        for index in range {
            if cursor.tokens[index].isWord("case", in: cursor.source) { depth += 1 }
            if cursor.tokens[index].isWord("end", in: cursor.source) { depth -= 1 }
            if depth == 0 { return index == range.upperBound - 1 }
        }
        return false
    }
}
