/// The result of one CREATE statement.
struct CreateStatement {
    enum Object {
        case table(Table)
        case index(Index)
        case view(View)
        case trigger(Trigger)
        case virtualTable(VirtualTable)
    }

    var name: QualifiedName
    var isTemporary: Bool
    var ifNotExists: Bool
    var object: Object
}

/// A reader of one CREATE statement, by the grammar of SQLite's parse.y.
///
/// It accepts a little more than SQLite does (a column with a type that is not valid there), never less,
/// since most of what it reads has passed SQLite already. It does not recurse, however deep the parentheses
/// are.
struct DDLReader {
    var cursor: TokenCursor

    /// The position of the closing parenthesis by that of its opening one; an unclosed one has no entry.
    private let closings: [Int: Int]

    init(_ statement: SQLStatement) {
        cursor = TokenCursor(statement)
        var closings: [Int: Int] = [:]
        var open: [Int] = []
        for (place, token) in statement.tokens.enumerated() where token.kind == .symbol {
            switch statement.source.bytes[token.range.lowerBound] {
            case UInt8(ascii: "("): open.append(place)
            case UInt8(ascii: ")"): if let opening = open.popLast() { closings[opening] = place }
            default: break
            }
        }
        self.closings = closings
    }

    mutating func create() throws(SchemaError) -> CreateStatement {
        if let illegal = firstIllegal { throw illegal }
        try expect("create")
        let isTemporary = cursor.accept("temp", "temporary")
        let isUnique = cursor.isWord("unique") && cursor.isWord("index", ahead: 1)
        if isUnique { cursor.position += 1 }
        let isVirtual = cursor.accept("virtual")
        guard let kind = ["table", "index", "view", "trigger"].first(where: { cursor.isWord($0) }) else {
            throw failure("expected TABLE, INDEX, VIEW or TRIGGER")
        }
        cursor.position += 1
        let ifNotExists = cursor.accept(sequence: "if", "not", "exists")
        let name = try qualifiedName("the name of the \(kind)")
        let object: CreateStatement.Object
        switch kind {
        case "table" where isVirtual: object = .virtualTable(try virtualTable(name.name))
        case "table": object = .table(try table(name.name))
        case "index": object = .index(try index(name.name, isUnique: isUnique))
        case "view": object = .view(try view(name.name))
        default: object = .trigger(try trigger(name.name))
        }
        if !cursor.isAtEnd { throw failure("expected the end of the statement") }
        return CreateStatement(
            name: name, isTemporary: isTemporary, ifNotExists: ifNotExists, object: object)
    }
}

extension DDLReader {
    /// Returns an error at the cursor's position, with the text found there.
    func failure(_ expectation: String) -> SchemaError { failure(expectation, at: cursor.position) }

    func failure(_ expectation: String, at index: Int) -> SchemaError {
        let source = cursor.source
        guard cursor.tokens.indices.contains(index) else {
            let end = cursor.tokens.last?.range.upperBound ?? 0
            return SchemaError(
                message: expectation + ", but the statement ends", source: source.name,
                location: source.location(at: end))
        }
        let token = cursor.tokens[index]
        return SchemaError(
            message: expectation + ", found " + token.text(in: source).prefix(40), source: source.name,
            location: source.location(at: token.range.lowerBound))
    }

    private var firstIllegal: SchemaError? {
        for token in cursor.tokens {
            guard case .illegal(let reason) = token.kind else { continue }
            return SchemaError(
                message: reason.rawValue, source: cursor.source.name,
                location: cursor.source.location(at: token.range.lowerBound))
        }
        return nil
    }

    mutating func expect(_ word: String) throws(SchemaError) {
        if !cursor.accept(word) { throw failure("expected \(word.uppercasedASCII)") }
    }

    mutating func expect(symbol: String) throws(SchemaError) {
        if !cursor.accept(symbol: symbol) { throw failure("expected \(symbol)") }
    }

    /// Reads a name in any quoting; a reserved keyword without quotes is not a name.
    mutating func name(_ what: String) throws(SchemaError) -> String {
        guard let token = cursor.token(), let name = token.name(in: cursor.source),
            token.kind != .word || !Keywords.reserved.contains(name.foldedASCII)
        else { throw failure("expected \(what)") }
        cursor.position += 1
        return name
    }

    mutating func qualifiedName(_ what: String) throws(SchemaError) -> QualifiedName {
        let first = try name(what)
        guard cursor.accept(symbol: ".") else { return QualifiedName(name: first) }
        return QualifiedName(schema: first, name: try name(what))
    }

    /// Reads `(a, b)`; the collation and order that old versions allowed after each name are skipped.
    mutating func nameList(_ what: String) throws(SchemaError) -> [String] {
        try expect(symbol: "(")
        var names: [String] = []
        repeat {
            names.append(try name(what))
            if cursor.accept("collate") { _ = try name("the name of a collation") }
            cursor.accept("asc", "desc")
        } while cursor.accept(symbol: ",")
        try expect(symbol: ")")
        return names
    }

    /// Steps over a parenthesis and returns the range of its contents.
    mutating func parenthesis() throws(SchemaError) -> Range<Int> {
        let open = cursor.position
        guard cursor.isSymbol("(") else { throw failure("expected (") }
        guard let close = closings[open] else {
            throw failure("expected a ) for this parenthesis", at: open)
        }
        cursor.position = close + 1
        guard close > open + 1 else { throw failure("expected something in the parenthesis", at: close) }
        return (open + 1)..<close
    }

    /// Returns the parts of a range between its commas; commas inside parentheses do not count.
    func split(_ range: Range<Int>) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        var index = range.lowerBound
        while index < range.upperBound {
            if let close = closings[index] {
                index = close
            } else if cursor.tokens[index].isSymbol(",", in: cursor.source) {
                parts.append(start..<index)
                start = index + 1
            }
            index += 1
        }
        return parts + [start..<range.upperBound]
    }

    /// Returns the expression in a range, without parentheses around all of it.
    func expression(_ range: Range<Int>) -> SQLFragment {
        SQLFragment(cursor.tokens[withoutParentheses(range)], in: cursor.source)
    }

    /// Returns the range without parentheses around all of it, unless they contain a query or a row of
    /// values.
    func withoutParentheses(_ range: Range<Int>) -> Range<Int> {
        var range = range
        while range.count > 2, closingParenthesis(of: range) == range.upperBound - 1 {
            let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
            if beginsQuery(inner) || split(inner).count > 1 { break }
            range = inner
        }
        return range
    }

    /// Returns whether a range begins as a query does. WITH may be a column: then no name follows it.
    func beginsQuery(_ range: Range<Int>) -> Bool {
        let first = cursor.tokens[range.lowerBound]
        if first.isWord("select", in: cursor.source) || first.isWord("values", in: cursor.source) {
            return true
        }
        return range.count > 1 && first.isWord("with", in: cursor.source)
            && cursor.tokens[range.lowerBound + 1].name(in: cursor.source) != nil
    }

    /// Returns where the parenthesis at the start of a range closes; nil if the range does not start with
    /// one.
    func closingParenthesis(of range: Range<Int>) -> Int? { closings[range.lowerBound] }
}
