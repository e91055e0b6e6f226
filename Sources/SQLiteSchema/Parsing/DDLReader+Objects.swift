extension DDLReader {
    /// Reads `ON table (term, ...) [WHERE condition]` (https://www.sqlite.org/lang_createindex.html).
    mutating func index(_ name: String, isUnique: Bool) throws(SchemaError) -> Index {
        try expect("on")
        var index = Index(
            name: name, table: try self.name("the name of a table"), terms: [], isUnique: isUnique)
        for part in split(try parenthesis()) { index.terms.append(try indexTerm(part)) }
        if cursor.accept("where") {
            guard !cursor.isAtEnd else { throw failure("expected a condition") }
            index.condition = expression(cursor.position..<cursor.tokens.count)
            cursor.position = cursor.tokens.count
        }
        return index
    }

    /// Reads `expression [COLLATE name] [ASC | DESC] [NULLS FIRST | LAST]`.
    func indexTerm(_ part: Range<Int>) throws(SchemaError) -> Index.Term {
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
        guard !range.isEmpty, !beginsQuery(range) else {
            throw failure("expected a column or an expression", at: part.lowerBound)
        }
        range = withoutParentheses(range)
        var collation: String?
        while true {
            var operand = range
            while operand.count > 2, tokens[operand.upperBound - 2].isWord("collate", in: source) {
                operand = operand.lowerBound..<(operand.upperBound - 2)
            }
            guard operand.count < range.count, isOperand(operand) else { break }
            // If there are several, the last one counts.
            collation = collation ?? tokens[range.upperBound - 1].name(in: source)
            range = withoutParentheses(operand)
        }
        let value: Index.Term.Value
        if range.count == 1, isColumnName(tokens[range.lowerBound]),
            let name = tokens[range.lowerBound].name(in: source)
        {
            value = .column(name)
        } else {
            value = .expression(expression(range))
        }
        return Index.Term(value, collation: collation, isDescending: isDescending)
    }

    private func isColumnName(_ token: Token) -> Bool {
        guard token.kind == .word else { return token.name(in: cursor.source) != nil }
        return !Keywords.neverNames.contains(token.text(in: cursor.source).foldedASCII)
    }

    /// Returns whether a COLLATE after the range applies to the whole of it, and not to its last operand.
    private func isOperand(_ range: Range<Int>) -> Bool {
        let source = cursor.source
        let last = range.upperBound - 1
        if range.count == 1 || closingParenthesis(of: range) == last { return true }
        if cursor.tokens[range.lowerBound].isWord("case", in: source) {
            return cursor.tokens[last].isWord("end", in: source) && isOneCase(range)
        }
        let isCall = range.count > 2 && cursor.tokens[range.lowerBound].name(in: source) != nil
        return isCall && closingParenthesis(of: (range.lowerBound + 1)..<range.upperBound) == last
    }

    private func isOneCase(_ range: Range<Int>) -> Bool {
        var depth = 0
        for index in range {
            if cursor.tokens[index].isWord("case", in: cursor.source) { depth += 1 }
            if cursor.tokens[index].isWord("end", in: cursor.source) { depth -= 1 }
            if depth == 0 { return index == range.upperBound - 1 }
        }
        return false
    }

    /// Reads `[(column, ...)] AS query` (https://www.sqlite.org/lang_createview.html).
    mutating func view(_ name: String) throws(SchemaError) -> View {
        let columns = cursor.isSymbol("(") ? try nameList("the name of a column") : nil
        try expect("as")
        guard ["select", "values", "with"].contains(where: { cursor.isWord($0) }) else {
            throw failure("expected SELECT")
        }
        let query = SQLFragment(cursor.tokens[cursor.position...], in: cursor.source)
        cursor.position = cursor.tokens.count
        return View(name: name, columns: columns, query: query)
    }

    /// Reads `USING module [(argument, ...)]` (https://www.sqlite.org/lang_createvtab.html).
    mutating func virtualTable(_ name: String) throws(SchemaError) -> VirtualTable {
        try expect("using")
        var table = VirtualTable(name: name, module: try self.name("the name of a module"))
        guard cursor.isSymbol("(") else { return table }
        if cursor.isSymbol(")", ahead: 1) {
            cursor.position += 2
            return table
        }
        table.arguments = split(try parenthesis()).filter { !$0.isEmpty }.map(argument)
        return table
    }

    private func argument(_ range: Range<Int>) -> VirtualTable.Argument {
        let source = cursor.source
        var text = ""
        var end = cursor.tokens[range.lowerBound].range.lowerBound
        var items = NormalizedSQL(cursor.tokens[range], in: source).items
        for (place, token) in cursor.tokens[range].enumerated() {
            if token.range.lowerBound > end { text += " " }
            text += token.text(in: source)
            end = token.range.upperBound
            guard token.kind != .word, let name = token.name(in: source), place < items.count else {
                continue
            }
            let couldBeName = !name.isEmpty && name.utf8.allSatisfy(CharacterClass.isIdentifier)
            items[place] = couldBeName ? .word(name.foldedASCII) : .literal(DefaultValue.quoted(name))
        }
        return VirtualTable.Argument(text: text, normalized: NormalizedSQL(items: items))
    }
}
