import SQLiteSchema

extension SQLStatement {
    /// Returns the first token of words that follow each other, given in lower case.
    package func first(_ words: [String]) -> Token? {
        guard tokens.count >= words.count else { return nil }
        for start in 0...(tokens.count - words.count)
        where words.indices.allSatisfy({ tokens[start + $0].isWord(words[$0], in: source) }) {
            return tokens[start]
        }
        return nil
    }

    /// Returns the first such word outside parentheses, after a token.
    package func outermost(_ word: String, after: Token? = nil, in range: Range<Int>? = nil) -> Token? {
        var depth = 0
        for token in tokens[range ?? tokens.indices] {
            if token.isSymbol("(", in: source) { depth += 1 }
            if token.isSymbol(")", in: source) { depth -= 1 }
            let isBehind = token.range.lowerBound >= after?.range.upperBound ?? 0
            if depth == 0, isBehind, token.isWord(word, in: source) { return token }
        }
        return nil
    }

    /// Returns the SELECTs of a copy, joined by UNION and the like, that name a table.
    package func selects(from table: String) -> [InsertSource.Arm] {
        (insertSource?.arms ?? tableArms).filter { arm in
            tokens[arm.tokens].contains { $0.name(in: source)?.foldedASCII == table.foldedASCII }
        }
    }

    /// Whether a copy takes only some rows of a table: a LIMIT cuts it, or the only SELECT of the table has a WHERE.
    package func takesSome(of table: String) -> Bool {
        guard outermost("limit") == nil else { return true }
        let selects = selects(from: table)
        return selects.count < 2 && outermost("where", in: selects.first?.tokens) != nil
    }

    package var isDelete: Bool { if case .delete = action { true } else { false } }

    /// The text after the outermost WHERE, up to the next clause; nil without a WHERE.
    package var condition: String? {
        guard let token = outermost("where") else { return nil }
        let ends = ["group", "order", "limit", "returning"].compactMap { outermost($0, after: token) }
        let end = ends.map(\.range.lowerBound).min() ?? range.upperBound
        return source.text(in: token.range.upperBound..<end)
    }

    /// What is done with a row that has the same key: REPLACE, or the word after INSERT OR and UPDATE OR, in lower
    /// case; nil if the statement says nothing.
    package var conflictWord: String? {
        if isReplace { return "replace" }
        guard
            let place = tokens.firstIndex(where: {
                ["insert", "update"].contains($0.text(in: source).foldedASCII)
            }),
            place + 2 < tokens.count, tokens[place + 1].isWord("or", in: source)
        else { return nil }
        return tokens[place + 2].text(in: source).foldedASCII
    }

    /// Returns whether a word directly precedes a token.
    package func isBehind(_ word: String, _ token: Token) -> Bool {
        guard let place = tokens.firstIndex(of: token), place > 0 else { return false }
        return tokens[place - 1].isWord(word, in: source)
    }

    /// Returns whether the statement contains a name or word.
    package func mentions(_ name: String) -> Bool {
        let folded = name.foldedASCII
        return tokens.contains { $0.identifier(in: source)?.foldedASCII == folded }
    }

    /// Returns the first token that is this name in any quoting.
    package func token(named name: String) -> Token? {
        let folded = name.foldedASCII
        return tokens.first { $0.name(in: source)?.foldedASCII == folded }
    }

    /// Returns the statement with parts of it replaced; the edits are in offsets of the file.
    package func applying(_ edits: [SQLEdit]) -> String {
        var text = ""
        var offset = range.lowerBound
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        where edit.range.lowerBound >= offset && edit.range.upperBound <= range.upperBound {
            text += source.text(in: offset..<edit.range.lowerBound) + edit.text
            offset = edit.range.upperBound
        }
        return text + source.text(in: offset..<range.upperBound)
    }
}
