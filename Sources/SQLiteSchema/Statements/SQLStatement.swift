/// One statement of a file of SQL.
public struct SQLStatement: Sendable {
    public let source: SQLSource

    /// From the first to the last significant token, without the `;` that ends the statement.
    public let range: Range<Int>

    /// Behind the `;` that ends the statement; the end of `range` where there is none.
    public let terminatorEnd: Int

    /// The significant tokens: whitespace, comments and the final `;` are left out. Never empty.
    public let tokens: [Token]

    /// The statement's number in its source, from 1.
    public let index: Int

    /// The statement as it is written, comments inside it included, without the final `;`.
    public var text: String { source.text(in: range) }

    /// Where the statement begins.
    public var location: SourceLocation { source.location(at: range.lowerBound) }

    /// Whether a `;` ends the statement; the last of a file needs none.
    public var isTerminated: Bool { terminatorEnd > range.upperBound }
}
