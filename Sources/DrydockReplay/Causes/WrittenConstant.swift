import DrydockFindings
import DrydockState
import SQLiteSchema

/// A constant that a statement writes into a column: of a copy in place of the column itself, or of an UPDATE.
struct WrittenConstant {
    private let statement: SQLStatement
    /// The constant as it is written.
    private let text: String
    private let range: Range<Int>
    /// The column of the table with the old values that the constant spells; nil where it spells none.
    private let spelled: String?
    private let column: String
    private let isCopy: Bool

    /// - Parameters:
    ///   - table: the table with the old values.
    ///   - target: the table that the statement writes.
    init?(_ statement: SQLStatement, of column: String, in table: Catalog.Table, into target: Table?) {
        (self.statement, self.column) = (statement, column)
        let value: [Token]?
        switch statement.action {
        case .insert(_, let columns, let copy?):
            guard !copy.isCompound, let arm = statement.insertSource?.arms.first, !arm.isValues else {
                return nil
            }
            isCopy = true
            let items = statement.selectItems(of: arm)
            let targets = columns ?? target?.columns.filter { $0.generated == nil }.map(\.name) ?? []
            guard items.count == targets.count,
                let place = targets.firstIndex(where: { $0.foldedASCII == column.foldedASCII })
            else { return nil }
            value = statement.tokens.filter { items[place].contains($0.range.lowerBound) }
        case .update:
            isCopy = false
            value = statement.assignedTokens(column)
        default: return nil
        }
        guard let value = value.map(statement.withoutAlias), let token = value.last, value.count <= 2,
            value.count == 1 || value[0].isSymbol("-", in: statement.source),
            token.isConstant(in: statement.source, of: table)
        else { return nil }
        range = value[0].range.lowerBound..<token.range.upperBound
        text = statement.source.text(in: range)
        let word = text.dropFirst().dropLast()
        spelled =
            token.kind == .string || token.kind == .quotedIdentifier
            ? table.columns.first { $0.name.foldedASCII == String(word).foldedASCII }?.name : nil
    }

    func cause(_ place: String) -> String {
        if let spelled {
            let of = spelled.foldedASCII == column.foldedASCII ? "" : " into \(column)"
            return
                "\(isCopy ? "the copy" : "UPDATE") in \(place) writes the text \(text)\(of) instead of the column \(spelled)"
        }
        guard !isCopy else { return "the copy in \(place) writes \(text) instead of the column \(column)" }
        let rows = statement.outermost("where") == nil ? "every row" : "each row that meets its condition"
        return "UPDATE in \(place) writes \(text) to \(rows)"
    }

    var help: Help {
        let name = quotedIfNeeded(spelled ?? column)
        if spelled != nil || isCopy {
            let better = statement.applying([SQLEdit(range: range, text: name)])
            return
                "Write the column\(spelled == nil ? "" : " without the quotes"):\n\(proposed(better + ";"))"
        }
        guard statement.outermost("from") == nil, statement.outermost("limit") == nil,
            statement.outermost("returning") == nil
        else { return "Leave rows that have a value unchanged." }
        return
            "If only rows without a value are meant, say so:\n\(proposed(statement.adding(condition: "\(name) IS NULL") + ";"))"
    }
}

extension Token {
    /// Whether it is a number, a string, NULL or the like, or a name in double quotes that no column has.
    fileprivate func isConstant(in source: SQLSource, of table: Catalog.Table) -> Bool {
        switch kind {
        case .string, .blob, .number: true
        case .quotedIdentifier:
            source.bytes[range.lowerBound] == UInt8(ascii: "\"")
                && identifier(in: source).map { table.column($0) == nil } ?? false
        default: ["null", "true", "false"].contains { isWord($0, in: source) }
        }
    }
}

extension SQLStatement {
    /// Returns the tokens of an item of a SELECT without AS and the name behind it.
    fileprivate func withoutAlias(_ item: [Token]) -> [Token] {
        let hasAlias = item.count > 2 && item[item.count - 2].isWord("as", in: source)
        return hasAlias ? Array(item.dropLast(2)) : item
    }

    /// Returns the tokens of the value that an UPDATE assigns to one column alone.
    fileprivate func assignedTokens(_ column: String) -> [Token]? {
        guard let set = outermost("set"), let start = tokens.firstIndex(of: set) else { return nil }
        let ends = ["where", "from", "returning", "order", "limit"]
        var (depth, name, value): (Int, String?, [Token]) = (0, nil, [])
        var isValue = false
        for token in tokens[(start + 1)...] {
            if token.isSymbol("(", in: source) { depth += 1 }
            if token.isSymbol(")", in: source) { depth -= 1 }
            if depth == 0, ends.contains(where: { token.isWord($0, in: source) }) { break }
            if depth == 0, token.isSymbol(",", in: source) {
                if name == column.foldedASCII { break }
                (name, value, isValue) = (nil, [], false)
            } else if depth == 0, !isValue, token.isSymbol("=", in: source) {
                isValue = true
            } else if isValue {
                value.append(token)
            } else {
                name = token.identifier(in: source)?.foldedASCII
            }
        }
        return name == column.foldedASCII && !value.isEmpty ? value : nil
    }
}
