/// Reads CREATE VIEW, after its name.
enum ViewReader {
    /// Reads `[(column, ...)] AS query` (https://www.sqlite.org/lang_createview.html).
    static func read(_ name: String, _ cursor: inout DDLCursor) throws(SchemaError) -> View {
        let columns = cursor.isSymbol("(") ? try cursor.nameList("the name of a column") : nil
        try cursor.expect("as")
        guard ["select", "values", "with"].contains(where: { cursor.isWord($0) }) else {
            throw cursor.failure("expected SELECT")
        }
        let query = SQLFragment(cursor.tokens[cursor.position...], in: cursor.source)
        cursor.position = cursor.tokens.count
        return View(name: name, columns: columns, query: query)
    }
}
