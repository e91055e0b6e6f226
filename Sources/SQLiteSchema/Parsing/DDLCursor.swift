/// A cursor over a CREATE statement: what does not read as expected is an error with its place.
struct DDLCursor {
    private var cursor: TokenCursor
    let groups: TokenGroups

    init(_ statement: SQLStatement) {
        (cursor, groups) = (TokenCursor(statement), TokenGroups(statement))
    }

    var source: SQLSource { cursor.source }
    var tokens: [Token] { cursor.tokens }
    var isAtEnd: Bool { cursor.isAtEnd }
    var position: Int {
        get { cursor.position }
        set { cursor.position = newValue }
    }

    func token(ahead: Int = 0) -> Token? { cursor.token(ahead: ahead) }
    func isWord(_ word: String, ahead: Int = 0) -> Bool { cursor.isWord(word, ahead: ahead) }
    func isSymbol(_ symbol: String, ahead: Int = 0) -> Bool { cursor.isSymbol(symbol, ahead: ahead) }

    @discardableResult
    mutating func accept(_ words: String...) -> Bool { cursor.accept(oneOf: words) }

    @discardableResult
    mutating func accept(sequence words: String...) -> Bool { cursor.accept(sequence: words) }

    @discardableResult
    mutating func accept(symbol: String) -> Bool { cursor.accept(symbol: symbol) }

    /// Returns an error at the cursor's position, with the text found there.
    func failure(_ expectation: String) -> SchemaError { failure(expectation, at: position) }

    func failure(_ expectation: String, at index: Int) -> SchemaError {
        guard tokens.indices.contains(index) else {
            let end = tokens.last?.range.upperBound ?? 0
            return SchemaError(
                message: expectation + ", but the statement ends", source: source.name,
                location: source.location(at: end))
        }
        let token = tokens[index]
        return SchemaError(
            message: expectation + ", found " + token.text(in: source).prefix(40), source: source.name,
            location: source.location(at: token.range.lowerBound))
    }

    /// The error of the first token that is not valid; nil if all are.
    var firstIllegal: SchemaError? {
        for token in tokens {
            guard case .illegal(let reason) = token.kind else { continue }
            return SchemaError(
                message: reason.rawValue, source: source.name,
                location: source.location(at: token.range.lowerBound))
        }
        return nil
    }

    mutating func expect(_ word: String) throws(SchemaError) {
        if !accept(word) { throw failure("expected \(word.uppercasedASCII)") }
    }

    mutating func expect(symbol: String) throws(SchemaError) {
        if !accept(symbol: symbol) { throw failure("expected \(symbol)") }
    }

    /// Reads a name in any quoting; a reserved keyword without quotes is not a name.
    mutating func name(_ what: String) throws(SchemaError) -> String {
        guard let token = token(), let name = token.name(in: source),
            token.kind != .word || !Keywords.reserved.contains(name.foldedASCII)
        else { throw failure("expected \(what)") }
        position += 1
        return name
    }

    mutating func qualifiedName(_ what: String) throws(SchemaError) -> QualifiedName {
        let first = try name(what)
        guard accept(symbol: ".") else { return QualifiedName(name: first) }
        return QualifiedName(schema: first, name: try name(what))
    }

    /// Reads `(a, b)`; the collation and order that old versions allowed after each name are skipped.
    mutating func nameList(_ what: String) throws(SchemaError) -> [String] {
        try expect(symbol: "(")
        var names: [String] = []
        repeat {
            names.append(try name(what))
            if accept("collate") { _ = try name("the name of a collation") }
            accept("asc", "desc")
        } while accept(symbol: ",")
        try expect(symbol: ")")
        return names
    }

    /// Steps over a parenthesis and returns the range of its contents.
    mutating func parenthesis() throws(SchemaError) -> Range<Int> {
        let open = position
        guard isSymbol("(") else { throw failure("expected (") }
        guard let close = groups.closing(at: open) else {
            throw failure("expected a ) for this parenthesis", at: open)
        }
        position = close + 1
        guard close > open + 1 else { throw failure("expected something in the parenthesis", at: close) }
        return (open + 1)..<close
    }

    /// Reads `ON CONFLICT resolution`, if it is next (https://www.sqlite.org/lang_conflict.html).
    mutating func conflictClause() throws(SchemaError) -> ConflictResolution? {
        guard accept(sequence: "on", "conflict") else { return nil }
        let resolution = ConflictResolution.allCases.first { isWord($0.rawValue.foldedASCII) }
        guard let resolution else {
            throw failure("expected ROLLBACK, ABORT, FAIL, IGNORE or REPLACE")
        }
        position += 1
        return resolution
    }
}
