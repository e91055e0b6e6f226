import SQLiteSchema

/// A file of SQLDelight in which everything that is not SQL is blanked out, byte by byte, so that every offset is
/// kept.
struct SQLDelightSource {
    private let source: SQLSource
    private var bytes: [UInt8]

    init(_ text: SQLSource) {
        source = SQLSource(name: text.name, bytes: Self.withoutBlocks(text))
        bytes = source.bytes
        for statement in source.statements() { blank(statement) }
    }

    func statements() -> [SQLStatement] { SQLSource(name: source.name, bytes: bytes).statements() }

    /// Returns the text without grouped statements, `name { …; …; }`.
    private static func withoutBlocks(_ source: SQLSource) -> [UInt8] {
        var bytes = source.bytes
        let tokens = source.tokens().filter(\.isSignificant)
        var index = 0
        var isStart = true
        while index < tokens.count {
            let isBlock =
                isStart && index + 1 < tokens.count && tokens[index].kind == .word
                && source.text(in: tokens[index + 1].range) == "{"
            guard isBlock else {
                isStart = tokens[index].isSymbol(";", in: source)
                index += 1
                continue
            }
            let end = tokens[index...].firstIndex { source.text(in: $0.range) == "}" } ?? tokens.count - 1
            for offset in tokens[index].range.lowerBound..<tokens[end].range.upperBound
            where bytes[offset] != 0x0A && bytes[offset] != 0x0D {
                bytes[offset] = 0x20
            }
            index = end + 1
        }
        return bytes
    }

    private mutating func blank(_ statement: SQLStatement) {
        let tokens = statement.tokens
        // `name: SELECT …` and `import …` are SQLDelight's own.
        if isLabel(tokens) || tokens[0].isWord("import", in: source) {
            return erase(statement.range.lowerBound..<statement.terminatorEnd)
        }
        switch statement.action {
        case .createTable: blankTypes(tokens, depth: 1)
        case .addColumn: blankTypes(tokens, depth: 0)
        case .createVirtualTable(_, let module):
            if module.foldedASCII == "fts5" { blankDefinitions(tokens) } else { blankTypes(tokens, depth: 1) }
        default: break
        }
    }

    /// Returns whether tokens begin with a word and a colon. The lexer takes the colon for a variable if a name
    /// touches it.
    private func isLabel(_ tokens: [Token]) -> Bool {
        tokens.count > 1 && tokens[0].kind == .word && source.text(in: tokens[1].range).hasPrefix(":")
    }

    /// Blanks out from AS to the next constraint, comma or closing parenthesis.
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

    /// Blanks out the types and constraints of FTS5's columns, which SQLDelight wants and FTS5 refuses: all but the name and
    /// UNINDEXED.
    private mutating func blankDefinitions(_ tokens: [Token]) {
        guard let open = tokens.firstIndex(where: { $0.isSymbol("(", in: source) }) else { return }
        var depth = 0
        var argument: [Token] = []
        for token in tokens[(open + 1)...] {
            if token.isSymbol("(", in: source) { depth += 1 }
            let isEnd = depth == 0 && (token.isSymbol(",", in: source) || token.isSymbol(")", in: source))
            if token.isSymbol(")", in: source) { depth -= 1 }
            guard isEnd else {
                argument.append(token)
                continue
            }
            // An option, such as tokenize = 'porter'.
            if argument.count < 2 || !argument[1].isSymbol("=", in: source) {
                for part in argument.dropFirst() where !part.isWord("unindexed", in: source) {
                    erase(part.range)
                }
            }
            argument = []
        }
    }

    private mutating func erase(_ range: Range<Int>) {
        for index in range where bytes[index] != 0x0A && bytes[index] != 0x0D { bytes[index] = 0x20 }
    }
}
