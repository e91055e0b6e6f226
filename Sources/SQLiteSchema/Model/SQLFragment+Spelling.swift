extension SQLFragment {
    /// Replaces each name in double quotes that cannot be a name with the text that SQLite takes it for.
    ///
    /// - Parameters:
    ///   - possible: whether a folded name may exist; every other one is a text.
    ///   - certain: whether a folded name certainly exists, so that its quotes can go.
    mutating func resolveDoubleQuotes(possible: (String) -> Bool, certain: (String) -> Bool) {
        guard !doubleQuoted.isEmpty else { return }
        var items = self.items
        var open: [Int] = []
        for index in doubleQuoted {
            guard case .word(let name) = items[index] else { continue }
            if !possible(name) {
                let text = DefaultValue.quoted(SQLName.unquoted(spelling[index]))
                items[index] = .literal(text)
                spelling[index] = text
            } else if certain(name) {
                spelling[index] = SQLName.printed(SQLName.unquoted(spelling[index]))
            } else {
                open.append(index)
            }
        }
        doubleQuoted = open
        normalized = NormalizedSQL(items: items)
    }

    /// Returns whether an item is a name by its position: before `.` and `(`, or after `.`, AS, COLLATE, FROM
    /// and the like.
    static func isSurelyName(_ index: Int, in items: [NormalizedSQL.Item]) -> Bool {
        if index + 1 < items.count, items[index + 1] == .symbol(".") || items[index + 1] == .symbol("(") {
            return true
        }
        guard index > 0 else { return false }
        switch items[index - 1] {
        case .symbol("."), .keyword("as"), .keyword("collate"), .keyword("join"), .keyword("into"),
            .keyword("update"), .keyword("table"):
            return true
        case .keyword("from"):
            // `a IS DISTINCT FROM "b"` compares.
            return index < 2 || items[index - 2] != .keyword("distinct")
        default:
            return false
        }
    }

    static func spelling(of item: NormalizedSQL.Item, _ token: Token, in source: SQLSource) -> String {
        switch item {
        case .keyword(let word):
            return word.uppercasedASCII
        case .word(let folded):
            guard token.kind == .word else {
                let name = token.name(in: source) ?? folded
                let isOpen =
                    token.kind == .quotedIdentifier
                    && source.bytes[token.range.lowerBound] == UInt8(ascii: "\"")
                return isOpen ? SQLName.quoted(name) : SQLName.printed(name)
            }
            return Keywords.operators.contains(folded) ? folded.uppercasedASCII : token.text(in: source)
        case .literal(let text), .symbol(let text), .illegal(let text):
            return text
        }
    }

    /// Returns numbers and blobs in one spelling: the case of `1E3`, `0X1F` and `X'AB'` has no meaning.
    static func canonicalLiteral(_ item: NormalizedSQL.Item, _ token: Token) -> NormalizedSQL.Item {
        guard case .literal(let text) = item, token.kind == .number || token.kind == .blob else {
            return item
        }
        return .literal(text.foldedASCII)
    }

    /// Writes short forms in full and leaves out words without effect: ASC, INNER, OUTER, SELECT ALL.
    mutating func spellInFull() {
        var items: [NormalizedSQL.Item] = []
        var words: [String] = []
        var places: [Int: Int] = [:]
        var index = 0
        while index < self.items.count {
            places[index] = items.count
            if isRedundant(index) {
                index += 1
            } else if index == 0, self.items.starts(with: [.word("replace"), .keyword("into")]) {
                items = [.keyword("insert"), .keyword("or"), self.items[0]]
                words = ["INSERT", "OR", "REPLACE"]
                index = 1
            } else {
                let (count, test) = nullTest(at: index)
                items += test.isEmpty ? [self.items[index]] : test.map(NormalizedSQL.Item.keyword)
                words += test.isEmpty ? [spelling[index]] : test.map(\.uppercasedASCII)
                index += count
            }
        }
        guard items != self.items else { return }
        doubleQuoted = doubleQuoted.compactMap { places[$0] }
        spelling = words
        normalized = NormalizedSQL(items: items)
    }

    private func isRedundant(_ index: Int) -> Bool {
        let next = index + 1 < items.count ? items[index + 1] : nil
        return switch items[index] {
        case .keyword("asc"): true
        case .keyword("inner"), .keyword("outer"): next == .keyword("join")
        case .keyword("all"): index > 0 && items[index - 1] == .keyword("select")
        default: false
        }
    }

    /// Returns how many items a short test for NULL takes, and its long form; empty for anything else.
    private func nullTest(at index: Int) -> (count: Int, test: [String]) {
        let none = (1, [String]())
        guard index > 0, isOperandEnd(items[index - 1]) else { return none }
        let found: (count: Int, test: [String])
        switch items[index] {
        case .keyword("notnull"): found = (1, ["is", "not", "null"])
        case .keyword("isnull"): found = (1, ["is", "null"])
        case .keyword("not"):
            guard index + 1 < items.count, items[index + 1] == .keyword("null") else { return none }
            found = (2, ["is", "not", "null"])
        default: return none
        }
        guard index + found.count < items.count else { return found }
        switch items[index + found.count] {
        case .symbol(")"), .symbol(","), .symbol(";"), .keyword("and"), .keyword("or"), .keyword("then"),
            .keyword("else"), .keyword("when"), .keyword("end"):
            return found
        default: return none
        }
    }

    private func isOperandEnd(_ item: NormalizedSQL.Item) -> Bool {
        switch item {
        case .word(let name): !Keywords.all.contains(name)
        case .literal, .symbol(")"), .keyword("end"): true
        default: false
        }
    }

    /// The names of the result's columns as they are spelt: the name after AS, otherwise the text of an
    /// expression. A plain column's name is left out.
    var resultNames: [String] {
        let ends: Set<NormalizedSQL.Item> = [.keyword("from"), .keyword("where"), .keyword("union")]
        var columns: [[Int]] = [[]]
        var depth = 0
        var isListing = false
        for index in items.indices {
            if items[index] == .symbol("(") { depth += 1 }
            if items[index] == .symbol(")") { depth -= 1 }
            guard isListing else {
                isListing = depth == 0 && items[index] == .keyword("select")
                continue
            }
            if depth == 0, ends.contains(items[index]) { break }
            if depth == 0, items[index] == .symbol(",") {
                columns.append([])
            } else {
                columns[columns.count - 1].append(index)
            }
        }
        return columns.compactMap { column in
            guard let last = column.last, column.count > 1 else { return nil }
            switch items[last - 1] {
            case .keyword("as"): return SQLName.unquoted(spelling[last])
            case .symbol("."): return nil
            default: return column.map { spelling[$0] }.joined(separator: " ")
            }
        }
    }
}
