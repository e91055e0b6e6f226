/// A cursor over a statement's significant tokens; every query is safe at the end.
struct TokenCursor {
    let source: SQLSource
    let tokens: [Token]
    var position = 0

    init(_ statement: SQLStatement) { self.init(source: statement.source, tokens: statement.tokens) }

    init(source: SQLSource, tokens: [Token]) {
        self.source = source
        self.tokens = tokens
    }

    var isAtEnd: Bool { position >= tokens.count }

    func token(ahead: Int = 0) -> Token? {
        let index = position + ahead
        return tokens.indices.contains(index) ? tokens[index] : nil
    }

    func isWord(_ word: String, ahead: Int = 0) -> Bool {
        token(ahead: ahead)?.isWord(word, in: source) ?? false
    }

    func isSymbol(_ symbol: String, ahead: Int = 0) -> Bool {
        token(ahead: ahead)?.isSymbol(symbol, in: source) ?? false
    }

    /// Steps over one of the words, if it is next.
    @discardableResult
    mutating func accept(_ words: String...) -> Bool { accept(oneOf: words) }

    mutating func accept(oneOf words: [String]) -> Bool {
        guard let token = token(), token.kind == .word else { return false }
        for word in words where token.isWord(word, in: source) {
            position += 1
            return true
        }
        return false
    }

    /// Steps over all of the words, if they are next in this order.
    @discardableResult
    mutating func accept(sequence words: String...) -> Bool { accept(sequence: words) }

    mutating func accept(sequence words: [String]) -> Bool {
        guard words.indices.allSatisfy({ isWord(words[$0], ahead: $0) }) else { return false }
        position += words.count
        return true
    }

    @discardableResult
    mutating func accept(symbol: String) -> Bool {
        guard isSymbol(symbol) else { return false }
        position += 1
        return true
    }

    /// Steps over a name, which may be a `'string'`, and returns it unquoted.
    mutating func name() -> String? {
        guard let name = token()?.name(in: source) else { return nil }
        position += 1
        return name
    }

    /// Steps over `name` or `schema.name` and returns it.
    mutating func qualifiedName() -> QualifiedName? {
        guard let first = name() else { return nil }
        guard isSymbol("."), let second = token(ahead: 1)?.name(in: source) else {
            return QualifiedName(name: first)
        }
        position += 2
        return QualifiedName(schema: first, name: second)
    }

    /// Steps over a parenthesis that opens here, through the one that closes it.
    mutating func skipParentheses() {
        guard isSymbol("(") else { return }
        var depth = 0
        while let token = token() {
            position += 1
            if token.isSymbol("(", in: source) { depth += 1 }
            if token.isSymbol(")", in: source) { depth -= 1 }
            if depth == 0 { return }
        }
    }

    /// Steps over `(a, b)` and returns the names; returns nil without a step if anything else is next.
    mutating func nameList() -> [String]? {
        guard isSymbol("(") else { return nil }
        var ahead = self
        ahead.position += 1
        var names: [String] = []
        repeat {
            guard let name = ahead.name() else { return nil }
            names.append(name)
        } while ahead.accept(symbol: ",")
        guard ahead.accept(symbol: ")") else { return nil }
        self = ahead
        return names
    }

    /// Steps over `WITH ... ` up to the verb of the statement.
    mutating func skipCommonTables() {
        guard accept("with") else { return }
        if isWord("recursive"), !isWord("as", ahead: 1), !isSymbol("(", ahead: 1) { position += 1 }
        repeat {
            guard name() != nil else { return }
            skipParentheses()
            guard accept("as") else { return }
            accept("not")
            accept("materialized")
            skipParentheses()
        } while accept(symbol: ",")
    }
}
