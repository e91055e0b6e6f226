import DatabaseEngine
import SQLiteSchema

/// The tables that migrations create and fill with literals, such as one that maps old values to new ones.
///
/// What another table's column is compared with there are values that its author takes it to have.
struct HelperTables: Sendable {
    /// The columns of each table, and its rows, by folded name.
    private var columns: [String: [String]] = [:]
    private var rows: [String: [InsertedRow]] = [:]

    /// Takes note of a table that a statement creates.
    mutating func note(_ statement: SQLStatement) {
        guard case .createTable(let name, _, _) = statement.action, let created = statement.createdColumns
        else { return }
        columns[name.name.foldedASCII] = created.filter { !$0.isGenerated }.map(\.name.foldedASCII)
    }

    /// Takes note of rows that a statement inserts.
    mutating func note(_ inserted: [InsertedRow], in table: String) {
        guard columns[table] != nil, (rows[table]?.count ?? 0) < InsertedRow.most else { return }
        rows[table, default: []] += inserted
    }

    /// Adds `name (a, b) AS (VALUES (...), (...))` of a WITH.
    mutating func noteCommonTables(_ items: [NormalizedSQL.Item]) {
        for place in items.indices where InsertedRow.isWord(items[place], "values") && place > 1 {
            guard items[place - 1] == .symbol("("), InsertedRow.isWord(items[place - 2], "as") else {
                continue
            }
            var (start, names): (Int, [String]) = (place - 3, [])
            guard start >= 0, items[start] == .symbol(")") else { continue }
            start -= 1
            while start > 0, items[start] != .symbol("(") {
                if case .word(let name) = items[start] { names.insert(name, at: 0) }
                start -= 1
            }
            guard start > 0, case .word(let table) = items[start - 1] else { continue }
            columns[table] = names
            rows[table] = InsertedRow.tuples(items, from: place + 1).map {
                .init(columns: nil, values: $0, conflict: .fails)
            }
        }
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Returns the literals in a column of a table.
    func values(_ column: String, of table: String) -> [SQLValue] {
        guard let all = columns[table], all.contains(column) else { return [] }
        var found: [SQLValue] = []
        for row in rows[table] ?? [] {
            guard let value = row.value(of: column, all: all), !value.isNull, !found.contains(value) else {
                continue
            }
            found.append(value)
        }
        return found
    }

    // MARK: - Comparisons

    /// Returns the columns that a statement compares with a column of such a table, with the literals there:
    /// `a = map.old`, `a IN (SELECT old FROM map)`.
    func comparisons(_ items: [NormalizedSQL.Item]) -> [(column: String, values: [SQLValue])] {
        let named = items.compactMap { item -> String? in
            if case .word(let name) = item, rows[name] != nil { name } else { nil }
        }
        guard !named.isEmpty else { return [] }
        var found: [(column: String, values: [SQLValue])] = []
        func add(_ column: String, _ other: String) {
            for table in Set(named).sorted() {
                let values = values(other, of: table)
                if !values.isEmpty { found.append((column, values)) }
            }
        }
        for place in items.indices.dropFirst() {
            guard case .word(let left) = items[place - 1] else { continue }
            switch items[place] {
            case .symbol("="), .keyword("is"):
                guard let right = Self.column(items, from: place + 1) else { continue }
                add(left, right)
                add(right, left)
            case .keyword("in"):
                if let query = Self.query(items, from: place + 1) {
                    found.append((left, values(query.column, of: query.table)))
                }
            default: break
            }
        }
        return found.filter { !$0.values.isEmpty }
    }

    /// Returns a condition with the literals in place of `(SELECT column FROM table)`.
    func replacing(_ items: [NormalizedSQL.Item]) -> [NormalizedSQL.Item] {
        guard !isEmpty else { return items }
        var (result, place): ([NormalizedSQL.Item], Int) = ([], 0)
        while place < items.count {
            result.append(items[place])
            place += 1
            guard items[place - 1] == .keyword("in"), let query = Self.query(items, from: place) else {
                continue
            }
            let values = values(query.column, of: query.table).prefix(40)
            guard !values.isEmpty else { continue }
            result.append(.symbol("("))
            for (index, value) in values.enumerated() {
                if index > 0 { result.append(.symbol(",")) }
                result.append(.literal(Expression.value(value).sql))
            }
            result.append(.symbol(")"))
            place = query.end
        }
        return result
    }

    /// Reads `(SELECT [DISTINCT] column FROM table)`.
    private static func query(_ items: [NormalizedSQL.Item], from start: Int) -> (
        column: String, table: String, end: Int
    )? {
        var place = start
        func next(_ item: NormalizedSQL.Item) -> Bool {
            guard place < items.count, items[place] == item else { return false }
            place += 1
            return true
        }
        guard next(.symbol("(")), next(.keyword("select")) else { return nil }
        if !next(.keyword("distinct")) { _ = next(.word("distinct")) }
        guard let column = column(items, from: place) else { return nil }
        while place < items.count, items[place] != .keyword("from") {
            if items[place] == .symbol(")") { return nil }
            place += 1
        }
        guard next(.keyword("from")), place < items.count, case .word(var table) = items[place] else {
            return nil
        }
        place += 1
        if next(.symbol(".")), place < items.count, case .word(let name) = items[place] {
            table = name
            place += 1
        }
        _ = next(.keyword("as"))
        if place < items.count, case .word = items[place] { place += 1 }
        return next(.symbol(")")) ? (column, table, place) : nil
    }

    /// Reads a column with its qualifiers.
    private static func column(_ items: [NormalizedSQL.Item], from start: Int) -> String? {
        var place = start
        while place < items.count, case .word(let name) = items[place] {
            guard place + 1 < items.count, items[place + 1] == .symbol(".") else {
                return place + 1 < items.count && items[place + 1] == .symbol("(") ? nil : name
            }
            place += 2
        }
        return nil
    }
}
