/// A text that replaces a part of a file.
public struct SQLEdit: Sendable, Hashable {
    /// Offsets into the bytes of the file.
    public var range: Range<Int>
    public var text: String

    public init(range: Range<Int>, text: String) {
        self.range = range
        self.text = text
    }
}

/// Returns the SQL of a remedy, indented as the report shows it.
package func proposed(_ sql: String) -> String {
    sql.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }.joined(separator: "\n")
}
