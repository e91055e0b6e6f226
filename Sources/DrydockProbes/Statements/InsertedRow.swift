import DatabaseEngine
import SQLiteSchema

/// A row of literals that an INSERT writes.
struct InsertedRow: Sendable {
    /// What becomes of a row that is there with the same key.
    enum Conflict: Sendable {
        case fails
        case ignored
        /// It is deleted or changed.
        case replaces
    }

    /// The folded names of the columns; nil for all columns of the table.
    var columns: [String]?
    /// A value for each column; nil for what is computed.
    var values: [SQLValue?]
    var conflict: Conflict

    /// Returns the value of a column.
    /// - Parameter all: the columns of the table, by folded name.
    func value(of column: String, all: [String]) -> SQLValue? {
        guard let place = (columns ?? all).firstIndex(of: column), values.indices.contains(place) else {
            return nil
        }
        return values[place]
    }

    /// A table gets so many rows of literals that more are not read.
    static let most = 200

    /// Returns the rows of `VALUES (...), (...)` or of `SELECT ... UNION ALL SELECT ...` without a table in a statement;
    /// none where it selects from one.
    static func rows(_ statement: SQLStatement, _ items: [NormalizedSQL.Item]) -> [InsertedRow] {
        guard case .insert(_, let columns, _) = statement.action else { return [] }
        let names = columns?.map(\.foldedASCII)
        let conflict: Conflict =
            statement.isReplace || !statement.upsertColumns.isEmpty
            ? .replaces : items.contains { isWord($0, "ignore") || isWord($0, "nothing") } ? .ignored : .fails
        let found = place(of: "values", in: items).map { tuples(items, from: $0 + 1) } ?? selected(items)
        return found.map { .init(columns: names, values: $0, conflict: conflict) }
    }

    /// Returns the rows of SELECTs without a table.
    private static func selected(_ items: [NormalizedSQL.Item]) -> [[SQLValue?]] {
        guard var place = place(of: "select", in: items) else { return [] }
        var found: [[SQLValue?]] = []
        while place < items.count, items[place] == .keyword("select"), found.count < most {
            var reader = ExpressionReader(items[(place + 1)...])
            var values: [SQLValue?] = []
            repeat {
                guard let expression = reader.expression() else { return [] }
                values.append(expression.constant)
                place = reader.place
                if place < items.count, isWord(items[place], "as") { place += 1 }
                if place < items.count, case .word = items[place] { place += 1 }
                guard place < items.count, items[place] == .symbol(",") else { break }
                reader = ExpressionReader(items[(place + 1)...])
            } while true
            found.append(values)
            guard place < items.count, isWord(items[place], "union") else { break }
            place += 1
            if place < items.count, isWord(items[place], "all") { place += 1 }
        }
        let isWhole = place >= items.count || isWord(items[place], "on") || isWord(items[place], "returning")
        return isWhole ? found : []
    }

    /// Returns the tuples of literals that stand one after the other.
    static func tuples(_ items: [NormalizedSQL.Item], from start: Int) -> [[SQLValue?]] {
        var (place, found): (Int, [[SQLValue?]]) = (start, [])
        while place < items.count, items[place] == .symbol("("), found.count < most {
            var (depth, first): (Int, Int) = (0, place + 1)
            var values: [SQLValue?] = []
            while place < items.count {
                let item = items[place]
                if item == .symbol("(") { depth += 1 }
                if item == .symbol(")") { depth -= 1 }
                if depth == 0 || depth == 1 && item == .symbol(",") {
                    values.append(
                        first < place ? ExpressionReader.expression(items[first..<place]).constant : nil)
                    first = place + 1
                }
                place += 1
                if depth == 0 { break }
            }
            found.append(values)
            guard place < items.count, items[place] == .symbol(",") else { break }
            place += 1
        }
        return found
    }

    /// Returns the place of a word outside of parentheses.
    private static func place(of word: String, in items: [NormalizedSQL.Item]) -> Int? {
        var depth = 0
        for (place, item) in items.enumerated() {
            if item == .symbol("(") { depth += 1 }
            if item == .symbol(")") { depth -= 1 }
            if depth == 0, isWord(item, word) { return place }
        }
        return nil
    }

    static func isWord(_ item: NormalizedSQL.Item, _ word: String) -> Bool {
        item == .keyword(word) || item == .word(word)
    }
}
