import DrydockFindings
import SQLiteSchema

/// The statement that creates an index or a trigger, rewritten for another table.
package struct ObjectText {
    package let text: String

    package init(_ object: Catalog.Object) { text = object.text }

    package init(_ text: String) { self.text = text }

    /// Returns the statement with another name for a table, where the grammar shows that the table is meant.
    /// - Parameter columns: the new names of its columns, by folded old names.
    package func renaming(table: String, to name: String, columns: [String: String] = [:]) -> String {
        guard let statement = SQLSource(name: "", text).statements().first else { return text }
        let (tokens, source) = (statement.tokens, statement.source)
        let isIndex = tokens.prefix(3).contains { $0.isWord("index", in: source) }
        var isBehindTable = false
        var edits: [SQLEdit] = []
        for (place, token) in tokens.enumerated() {
            guard let own = token.identifier(in: source) else { continue }
            let previous = place > 0 ? tokens[place - 1] : nil
            let isDotted = place + 1 < tokens.count && tokens[place + 1].isSymbol(".", in: source)
            let isTable = isDotted || Self.leads.contains { previous?.isWord($0, in: source) ?? false }
            if isTable, own.foldedASCII == table.foldedASCII {
                edits.append(SQLEdit(range: token.range, text: quotedIfNeeded(name)))
                isBehindTable = true
            } else if let column = columns[own.foldedASCII] {
                let owner = place > 1 && previous?.isSymbol(".", in: source) == true ? tokens[place - 2] : nil
                let isOwn = owner?.identifier(in: source).map { Self.rows.contains($0.foldedASCII) } ?? false
                guard isOwn || isIndex && isBehindTable else { continue }
                edits.append(SQLEdit(range: token.range, text: quotedIfNeeded(column)))
            }
        }
        return statement.applying(edits)
    }

    /// The words after which a table is named.
    private static let leads = [
        "on", "from", "join", "into", "update", "replace", "ignore", "abort", "fail", "rollback",
        "references",
    ]
    private static let rows: Set<String> = ["new", "old"]
}
