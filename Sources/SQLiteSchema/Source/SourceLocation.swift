/// A position in a SQL file, as editors and SARIF count it.
public struct SourceLocation: Sendable, Hashable {
    /// The line, from 1. Lines end with `\n` or `\r\n`; a lone `\r` does not end a line, as it does not end a
    /// `--` comment.
    public let line: Int

    /// The column, from 1, in characters (Unicode scalars) of the line.
    public let column: Int

    /// The number of UTF-8 bytes before it in the file, a byte order mark included.
    public let offset: Int

    public init(line: Int, column: Int, offset: Int) {
        self.line = line
        self.column = column
        self.offset = offset
    }
}

extension SourceLocation: CustomStringConvertible {
    public var description: String { "\(line):\(column)" }
}

extension SourceLocation: Comparable {
    public static func < (a: SourceLocation, b: SourceLocation) -> Bool { a.offset < b.offset }
}
