/// A SQL comment, `-- to the end of the line` or `/* between marks */`.
public struct SQLComment: Sendable, Hashable {
    /// A line of a comment, without the comment's marks and the space around it.
    public struct Line: Sendable, Hashable {
        public let text: String
        /// Where `text` begins.
        public let location: SourceLocation
    }

    /// The bytes of the comment, marks included.
    public let range: Range<Int>
    public let isBlock: Bool
    /// At least one line; a `--` comment has exactly one.
    public let lines: [Line]
}

extension SQLSource {
    /// The comments in order, so that `-- drydock:` declarations can be read from them.
    ///
    /// Text inside a string or a quoted name is never a comment. In a block comment the `*` that many editors
    /// put before each line is ignored.
    public var comments: [SQLComment] {
        var comments: [SQLComment] = []
        for token in Lexer(self) {
            switch token.kind {
            case .lineComment:
                comments.append(
                    comment(
                        token.range, isBlock: false,
                        text: (token.range.lowerBound + 2)..<token.range.upperBound))
            case .blockComment:
                var end = token.range.upperBound
                if token.range.count >= 4, bytes[end - 1] == UInt8(ascii: "/"),
                    bytes[end - 2] == UInt8(ascii: "*")
                {
                    end -= 2
                }
                comments.append(comment(token.range, isBlock: true, text: (token.range.lowerBound + 2)..<end))
            default:
                break
            }
        }
        return comments
    }

    private func comment(_ range: Range<Int>, isBlock: Bool, text: Range<Int>) -> SQLComment {
        var lines: [SQLComment.Line] = []
        var start = text.lowerBound
        while start <= text.upperBound {
            let end = bytes[start..<text.upperBound].firstIndex(of: UInt8(ascii: "\n")) ?? text.upperBound
            var trimmed = trim(start..<end)
            if isBlock, let first = trimmed.first, bytes[first] == UInt8(ascii: "*") {
                trimmed = trim((first + 1)..<trimmed.upperBound)
            }
            lines.append(.init(text: self.text(in: trimmed), location: location(at: trimmed.lowerBound)))
            start = end + 1
        }
        return SQLComment(range: range, isBlock: isBlock, lines: lines)
    }

    private func trim(_ range: Range<Int>) -> Range<Int> {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high, CharacterClass.isSpace(bytes[low]) { low += 1 }
        while high > low, CharacterClass.isSpace(bytes[high - 1]) { high -= 1 }
        return low..<high
    }
}
