import SQLiteSchema

/// A file of SQLDelight with what is not SQL blanked out, byte by byte, so that every place stays what it is.
struct SQLDelightSource {
    private let source: SQLSource
    private var bytes: [UInt8]

    init(_ source: SQLSource) {
        self.source = source
        bytes = source.bytes
        for statement in source.statements() { blank(statement) }
    }

    func statements() -> [SQLStatement] { SQLSource(name: source.name, bytes: bytes).statements() }

    private mutating func blank(_ statement: SQLStatement) {
        let tokens = statement.tokens
        // `name: SELECT …`, `name { … }` and `import …` are SQLDelight's own.
        if isLabel(tokens) || tokens[0].isWord("import", in: source) {
            return erase(statement.range.lowerBound..<statement.terminatorEnd)
        }
        switch statement.action {
        case .createTable: blankTypes(tokens, depth: 1)
        case .addColumn: blankTypes(tokens, depth: 0)
        default: break
        }
    }

    /// A word and a colon that touches it, which the lexer takes for a variable where a name follows.
    private func isLabel(_ tokens: [Token]) -> Bool {
        guard tokens.count > 1, tokens[0].kind == .word else { return false }
        let mark = source.text(in: tokens[1].range)
        return mark.hasPrefix(":") || mark == "{"
    }

    /// From AS to the next constraint, comma or closing parenthesis.
    private mutating func blankTypes(_ tokens: [Token], depth wanted: Int) {
        let ends: Set<String> = [
            "primary", "not", "null", "unique", "check", "default", "collate", "references", "constraint",
            "generated", "as",
        ]
        var depth = 0
        var start: Int?
        var angles = 0
        for (index, token) in tokens.enumerated() {
            let text = source.text(in: token.range)
            if let begin = start {
                angles += text.count(where: { $0 == "<" }) - text.count(where: { $0 == ">" })
                let isEnd = ends.contains(text.lowercased()) || text == "," || text == ")"
                guard angles <= 0, isEnd else { continue }
                erase(begin..<tokens[index - 1].range.upperBound)
                start = nil
            }
            if text == "(" { depth += 1 }
            if text == ")" { depth -= 1 }
            guard depth == wanted, index > 0, text.lowercased() == "as", index + 1 < tokens.count,
                source.text(in: tokens[index + 1].range) != "("
            else { continue }
            start = token.range.lowerBound
        }
        if let begin = start, let last = tokens.last { erase(begin..<last.range.upperBound) }
    }

    private mutating func erase(_ range: Range<Int>) {
        for index in range where bytes[index] != 0x0A && bytes[index] != 0x0D { bytes[index] = 0x20 }
    }
}
