/// A reader of a statement's action from its first words: transactions, pragmas, files, and which reader is
/// next.
struct ActionReader {
    var cursor: TokenCursor

    mutating func action() -> StatementAction {
        if cursor.isWord("with") { return dataChange() }
        guard let token = cursor.token(), token.kind == .word else { return .other }
        let verb = token.text(in: cursor.source).foldedASCII
        switch verb {
        case "insert", "replace", "update", "delete", "select", "values": return dataChange()
        case "explain": return .explain
        default: cursor.position += 1
        }
        switch verb {
        case "create": return create()
        case "drop": return drop()
        case "alter": return alter()
        case "begin": return .begin
        case "commit", "end": return .commit
        case "rollback": return rollback()
        case "savepoint": return cursor.name().map { .savepoint($0) } ?? .other
        case "release":
            skipWord("savepoint")
            return cursor.name().map { .release($0) } ?? .other
        case "pragma": return pragma()
        case "attach": return attach()
        case "detach": return .detach
        case "vacuum":
            if !cursor.isWord("into") { _ = cursor.name() }
            return .vacuum(into: cursor.isWord("into"))
        case "reindex": return .reindex
        case "analyze": return .analyze
        default: return .other
        }
    }

    /// Steps over an optional word, unless it is the name that ends the statement.
    private mutating func skipWord(_ word: String) {
        if cursor.token(ahead: 1) != nil { cursor.accept(word) }
    }

    /// Reads ROLLBACK [TRANSACTION [name]] [TO [SAVEPOINT] name]
    /// (https://www.sqlite.org/lang_transaction.html).
    private mutating func rollback() -> StatementAction {
        if cursor.accept("transaction"), !cursor.isWord("to") { _ = cursor.name() }
        guard cursor.accept("to") else { return .rollback }
        skipWord("savepoint")
        return cursor.name().map { .rollbackTo($0) } ?? .other
    }

    /// Reads PRAGMA [schema.]name [= value | (value)] (https://www.sqlite.org/pragma.html#syntax).
    private mutating func pragma() -> StatementAction {
        guard let name = cursor.qualifiedName() else { return .other }
        var value: String?
        if cursor.accept(symbol: "=") || cursor.accept(symbol: "==") || cursor.accept(symbol: "(") {
            let isNegative = cursor.accept(symbol: "-")
            if !isNegative { cursor.accept(symbol: "+") }
            value = cursor.token().map { token in
                (isNegative ? "-" : "") + (token.name(in: cursor.source) ?? token.text(in: cursor.source))
            }
        }
        return .pragma(schema: name.schema, name: name.name, value: value)
    }

    /// Reads ATTACH [DATABASE] expr AS expr [KEY expr]; a bare name counts as a text, as in
    /// `resolveAttachExpr`.
    private mutating func attach() -> StatementAction {
        if !cursor.isWord("as", ahead: 1) { cursor.accept("database") }
        guard cursor.isWord("as", ahead: 1), let file = cursor.name() else {
            return .attach(file: .expression)
        }
        return .attach(file: .literal(file))
    }
}
