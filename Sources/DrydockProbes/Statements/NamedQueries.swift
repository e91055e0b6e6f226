import SQLiteSchema

/// The queries that a statement gives a name: `(SELECT ...) AS a`, `a (x, y) AS (SELECT ...)`. One in FROM without a name
/// has an empty one.
struct NamedQueries {
    private let items: [NormalizedSQL.Item]
    /// The tables that each reads, which may be other queries.
    private(set) var tables: [String: Set<String>] = [:]
    /// The columns of which those of each query have the values.
    private var origins: [String: [String: String]] = [:]

    init(_ items: [NormalizedSQL.Item]) {
        self.items = items
        var open: [Int] = []
        for place in items.indices {
            if items[place] == .symbol("(") { open.append(place) }
            guard items[place] == .symbol(")"), let start = open.popLast(),
                item(start + 1) == .keyword("select")
            else { continue }
            let after = item(place + 1) == .keyword("as") ? place + 2 : place + 1
            let isTable = item(start - 1).map(Self.beforeTable.contains) ?? false
            let alias = word(after) ?? (isTable ? "" : nil)
            if let alias { readTables(start..<place, alias) }
            if let alias, isTable { readColumns(start..<place, alias, []) }
            if let (name, columns) = commonTable(before: start) {
                readTables(start..<place, name)
                readColumns(start..<place, name, columns)
            }
        }
    }

    private static let beforeTable: Set<NormalizedSQL.Item> = [
        .keyword("from"), .keyword("join"), .word("join"),
    ]

    private mutating func readTables(_ range: Range<Int>, _ name: String) {
        for place in range where Self.beforeTable.contains(items[place]) {
            if let table = word(place + 1) { tables[name, default: []].insert(table) }
        }
    }

    private mutating func readColumns(_ range: Range<Int>, _ name: String, _ columns: [String]) {
        for (index, selected) in selected(range).enumerated() {
            let column = columns.indices.contains(index) ? columns[index] : selected.name
            guard let column, let origin = selected.origin else { continue }
            let qualified = origin.contains("\u{0}") ? origin : ExpressionReader.qualified(origin, by: name)
            origins[name, default: [:]][column] = self.origin(of: qualified, tables)
        }
    }

    /// Returns the name of a common table, which stands before its query, and the columns that are listed there.
    private func commonTable(before start: Int) -> (name: String, columns: [String])? {
        var (place, columns): (Int, [String]) = (start - 1, [])
        while let item = item(place), item == .keyword("not") || InsertedRow.isWord(item, "materialized") {
            place -= 1
        }
        guard item(place) == .keyword("as") else { return nil }
        place -= 1
        if item(place) == .symbol(")") {
            while place > 0, item(place) != .symbol("(") {
                if let name = word(place) { columns.insert(name, at: 0) }
                place -= 1
            }
            place -= 1
        }
        return word(place).map { ($0, columns) }
    }

    /// Returns the columns of a query in parentheses: the name of each, and the column of which it has the values.
    private func selected(_ range: Range<Int>) -> [(name: String?, origin: String?)] {
        var found: [(name: String?, origin: String?)] = []
        var (depth, start) = (0, range.lowerBound + 2)
        if let item = item(start), InsertedRow.isWord(item, "distinct") { start += 1 }
        for place in start..<range.upperBound {
            if items[place] == .symbol("(") { depth += 1 }
            if items[place] == .symbol(")") { depth -= 1 }
            let isLast = items[place] == .keyword("from")
            guard depth == 0, isLast || items[place] == .symbol(",") else { continue }
            found.append((word(place - 1), Self.origin(items[start..<place])))
            if isLast { break }
            start = place + 1
        }
        return found
    }

    private func item(_ place: Int) -> NormalizedSQL.Item? {
        items.indices.contains(place) ? items[place] : nil
    }

    private func word(_ place: Int) -> String? {
        if case .word(let name)? = item(place) { name } else { nil }
    }

    // MARK: - Columns

    /// Returns the column of a table of which a column with a qualifier has the values.
    /// - Parameter tables: the tables, and the queries, by what they are called.
    func origin(of column: String, _ tables: [String: Set<String>]) -> String {
        guard let end = column.firstIndex(of: "\u{0}") else { return column }
        let (qualifier, name) = (String(column[..<end]), String(column[column.index(after: end)...]))
        let queries = [qualifier] + (tables[qualifier] ?? []).sorted()
        return queries.lazy.compactMap { origins[$0]?[name] }.first ?? column
    }

    /// Returns the column of a table of which an item of the outermost select list has the values.
    func origin(of item: CopyItem, _ tables: [String: Set<String>]) -> String? {
        let source: String?
        switch item {
        case .star: source = nil
        case .column(let table, let name):
            let folded = name.foldedASCII
            source = table.map { ExpressionReader.qualified(folded, by: $0.foldedASCII) } ?? folded
        case .expression(let sql, _): source = Self.origin(sql.items[...])
        }
        guard let source, !source.contains("\u{0}") else { return source.map { origin(of: $0, tables) } }
        let found = Set(origins.values.compactMap { $0[source] })
        return found.count == 1 ? found.first : source
    }

    private static func origin(_ items: ArraySlice<NormalizedSQL.Item>) -> String? {
        var reader = ExpressionReader(items)
        reader.keepsQualifiers = true
        return reader.expression()?.origin
    }
}
