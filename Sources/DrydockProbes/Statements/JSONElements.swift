import SQLiteSchema

/// The columns of which a statement reads the elements with `json_each`
/// (https://www.sqlite.org/json1.html#table_valued_functions_for_parsing_json_json_each_and_json_tree_).
enum JSONElements {
    /// Returns the columns by the names that the function has: its alias, or its own name.
    static func columns(_ items: [NormalizedSQL.Item]) -> [String: String] {
        var columns: [String: String] = [:]
        for (place, item) in items.enumerated() {
            guard case .word(let function) = item, function == "json_each" || function == "jsonb_each",
                place + 1 < items.count, items[place + 1] == .symbol("("),
                let close = items[place...].firstIndex(of: .symbol(")")), close > place + 2,
                case .word(let column) = items[close - 1]
            else { continue }
            // A path, or a call, leads to other elements.
            let argument = items[(place + 2)..<close]
            guard !argument.contains(.symbol(",")), !argument.contains(.symbol("(")) else { continue }
            columns[function] = column
            var next = close + 1
            if next < items.count, InsertedRow.isWord(items[next], "as") { next += 1 }
            if next < items.count, case .word(let alias) = items[next] { columns[alias] = column }
        }
        return columns
    }
}
