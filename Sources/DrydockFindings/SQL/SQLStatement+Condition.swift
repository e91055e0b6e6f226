import SQLiteSchema

extension SQLStatement {
    /// Returns the text with one more condition: before the existing WHERE condition, which is put in parentheses
    /// because of a possible OR, or in a new WHERE at the end.
    package func adding(condition added: String) -> String {
        guard let token = outermost("where"), let condition else { return "\(text) WHERE \(added)" }
        let start = token.range.upperBound
        let words = condition.split(whereSeparator: \.isWhitespace)
        guard let first = words.first, let last = words.last else { return text }
        let bare = condition[first.startIndex..<last.endIndex]
        let range = start..<(start + condition.utf8.count)
        return applying([SQLEdit(range: range, text: " \(added) AND (\(bare))")])
    }
}
