import SQLiteSchema

extension Migration {
    /// Returns a statement as a sentence names it: `line 4`, with the file if it is not the migration's own, or the
    /// beginning of the statement if a closure ran it.
    package func mention(_ index: Int) -> String {
        let statement = statements[index]
        guard closureChecks == nil else {
            let text = statement.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return "'\(text.prefix(40))\(text.count > 40 ? "…" : "")'"
        }
        let place = "line \(statement.location.line)"
        return statement.source.name == path ? place : "\(place) of \(statement.source.name)"
    }
}
