import SQLiteSchema

/// The lines of a text, with their positions.
struct LineReader: Sequence, IteratorProtocol {
    struct Line {
        /// Counted from 1.
        var number: Int
        /// The bytes, line ending included.
        var range: Range<Int>
        /// The line without its ending.
        var text: String
    }

    private let source: SQLSource
    private var number = 0
    private var offset: Int

    init(_ source: SQLSource) {
        self.source = source
        offset = source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    mutating func next() -> Line? {
        let bytes = source.bytes
        guard offset < bytes.count else { return nil }
        let newline = bytes[offset...].firstIndex(of: 0x0A)
        let range = offset..<(newline.map { $0 + 1 } ?? bytes.count)
        var text = source.text(in: offset..<(newline ?? bytes.count))
        if text.hasSuffix("\r") { text.removeLast() }
        number += 1
        offset = range.upperBound
        return Line(number: number, range: range, text: text)
    }
}

extension StringProtocol {
    /// The text without white space at both ends.
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
