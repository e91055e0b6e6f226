/// One statement of a SQL file.
public struct SQLStatement: Sendable {
    public let source: SQLSource

    /// The range from the first to the last significant token, without the `;` that ends the statement.
    public let range: Range<Int>

    /// The offset after the `;` that ends the statement; the end of `range` if there is none.
    public let terminatorEnd: Int

    /// The significant tokens: whitespace, comments and the final `;` are left out. Never empty.
    public let tokens: [Token]

    /// The statement's number in its source, from 1.
    public let index: Int

    /// What the statement does, found out once for all copies.
    public var action: StatementAction { known.action }

    /// The same for all copies of a statement, as long as one of them exists.
    package var identity: ObjectIdentifier { ObjectIdentifier(known) }

    private let known: Known

    private final class Known: Sendable {
        let action: StatementAction
        init(_ action: StatementAction) { self.action = action }
    }

    init(source: SQLSource, range: Range<Int>, terminatorEnd: Int, tokens: [Token], index: Int) {
        self.source = source
        self.range = range
        self.terminatorEnd = terminatorEnd
        self.tokens = tokens
        self.index = index
        var reader = ActionReader(cursor: TokenCursor(source: source, tokens: tokens))
        known = Known(reader.action())
    }

    /// The statement as it is written, comments inside it included, without the final `;`.
    public var text: String { source.text(in: range) }

    /// The statement as the library gets it: with comments up to its `;`, or, if it has none, to the end of
    /// the line.
    ///
    /// The comments have an effect: `ALTER TABLE ... ADD COLUMN` copies the text up to there into the table's
    /// definition, where a `--` comments out the parenthesis that follows (`sqlite3AlterFinishAddColumn` in
    /// https://www.sqlite.org/src/file/src/alter.c).
    public var executedText: String {
        guard !isTerminated else { return source.text(in: range.lowerBound..<terminatorEnd - 1) }
        let end = source.bytes.withUnsafeBufferPointer { bytes in
            let scanner = TokenScanner(bytes: bytes)
            var end = range.upperBound
            while end < bytes.count {
                let token = scanner.token(at: end)
                let text = bytes[token.range]
                guard !token.isSignificant, token.kind != .whitespace || !text.contains(UInt8(ascii: "\n"))
                else { break }
                end = token.range.upperBound
            }
            return end
        }
        return source.text(in: range.lowerBound..<end)
    }

    /// The position of the statement's first byte.
    public var location: SourceLocation { source.location(at: range.lowerBound) }

    /// Whether a `;` ends the statement; the last one of a file needs none.
    public var isTerminated: Bool { terminatorEnd > range.upperBound }
}
