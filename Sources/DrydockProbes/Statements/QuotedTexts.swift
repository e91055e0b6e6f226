import DatabaseEngine
import SQLiteSchema

/// The names in double quotes that SQLite takes for texts, since nothing has such a name
/// (https://www.sqlite.org/quirks.html#dblquote).
struct QuotedTexts {
    /// The folded names in all definitions.
    private var defined: Set<String> = []

    init(_ statements: [SQLStatement]) {
        guard statements.contains(where: { Self.hasRows($0) && Self.hasQuotedNames($0) }) else { return }
        for statement in statements where !Self.hasRows(statement) {
            for token in statement.tokens {
                if let name = token.name(in: statement.source) { defined.insert(name.foldedASCII) }
            }
        }
    }

    private static func hasRows(_ statement: SQLStatement) -> Bool {
        switch statement.action {
        case .insert, .update, .delete, .select: true
        default: false
        }
    }

    private static func hasQuotedNames(_ statement: SQLStatement) -> Bool {
        statement.tokens.contains { isQuoted($0, statement) }
    }

    private static func isQuoted(_ token: Token, _ statement: SQLStatement) -> Bool {
        token.kind == .quotedIdentifier
            && statement.source.bytes[token.range.lowerBound] == UInt8(ascii: "\"")
    }

    /// Returns the items of a statement, with a literal for each such text.
    func items(_ statement: SQLStatement) -> [NormalizedSQL.Item] {
        var items = statement.normalized.items
        guard items.count == statement.tokens.count, Self.hasQuotedNames(statement) else { return items }
        for (place, token) in statement.tokens.enumerated() where place > 0 {
            guard Self.isQuoted(token, statement), Self.beforeValue.contains(items[place - 1]),
                let name = token.name(in: statement.source),
                !defined.contains(name.foldedASCII),
                place + 1 == items.count || items[place + 1] != .symbol(".")
            else { continue }
            items[place] = .literal(name.enclosed(in: UInt8(ascii: "'")))
        }
        return items
    }

    private static let beforeValue: Set<NormalizedSQL.Item> = [
        .symbol("="), .symbol("<>"), .symbol("<"), .symbol(">"), .symbol("<="), .symbol(">="), .symbol("("),
        .symbol(","),
        .symbol("||"), .keyword("when"), .keyword("then"), .keyword("else"), .keyword("is"), .keyword("not"),
        .word("like"), .word("glob"), .keyword("like"), .keyword("glob"), .keyword("between"),
        .keyword("and"),
        .keyword("select"), .keyword("case"),
    ]
}
