import SQLiteSchema

/// A source line prepared for quoting: tabs as spaces, long lines cut around the column.
package enum SourceQuote {
    package static let width = 96

    /// Returns the text to show, and the blanks that put a caret under the column (counted from 1).
    package static func cut(_ line: String, at column: Int, width: Int = width) -> (
        text: String, blanks: String
    ) {
        let width = max(20, width)
        // Each character is replaced by one, so that the caret stays under its column.
        let scalars = line.unicodeScalars
        let wanted = max(0, column - 1)
        // The line is read no further than the column.
        let index =
            scalars.index(scalars.startIndex, offsetBy: wanted, limitedBy: scalars.endIndex) == nil
            ? scalars.count : wanted
        let start = index < width - 16 ? 0 : index - width / 2
        let rest = scalars.dropFirst(start).prefix(width + 1)
        let shown = rest.prefix(width).map { VisibleText.isHidden($0) ? " " : Character($0) }
        let head = start > 0 ? "…" : ""
        let text = head + String(shown) + (rest.count > width ? "…" : "")
        return (text, String(repeating: " ", count: index - start + head.count))
    }
}
