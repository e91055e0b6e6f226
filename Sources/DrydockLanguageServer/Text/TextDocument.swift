import SQLiteSchema

/// A text as it is in an editor, and its lines.
///
/// Lines end with `\n`, `\r\n` or a lone `\r`, as LSP counts them; those of a ``SQLSource`` do not end with a lone `\r`. The
/// offsets of bytes are common to both.
package struct TextDocument: Sendable {
    package private(set) var bytes: [UInt8]
    package var version: Int
    /// The offset at which each line begins.
    private var lineStarts: [Int]

    package init(_ text: String, version: Int = 0) { self.init(bytes: Array(text.utf8), version: version) }

    package init(bytes: [UInt8], version: Int = 0) {
        (self.bytes, self.version) = (bytes, version)
        lineStarts = Self.lineStarts(of: bytes)
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    private static func lineStarts(of bytes: [UInt8]) -> [Int] {
        bytes.withUnsafeBufferPointer { bytes in
            var starts = [0]
            for index in 0..<bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "\n"): starts.append(index + 1)
                case UInt8(ascii: "\r"):
                    if index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n") {
                        starts.append(index + 1)
                    }
                default: break
                }
            }
            return starts
        }
    }

    // MARK: - Changes

    /// Replaces a part, or everything.
    package mutating func replace(_ range: TextRange?, with text: String, _ encoding: PositionEncoding) {
        if let range {
            let start = offset(of: range.start, encoding)
            let end = max(start, offset(of: range.end, encoding))
            bytes.replaceSubrange(start..<end, with: text.utf8)
        } else {
            bytes = Array(text.utf8)
        }
        lineStarts = Self.lineStarts(of: bytes)
    }

    // MARK: - Positions

    /// Returns the bytes of a line without its ending.
    private func line(_ index: Int) -> Range<Int> {
        let start = lineStarts[index]
        var end = index + 1 < lineStarts.count ? lineStarts[index + 1] : bytes.count
        guard index + 1 < lineStarts.count else { return start..<end }
        if end > start, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }

    /// Returns the offset of a position. One behind the end of a line, or of the text, is that end; one inside a character
    /// is its beginning.
    package func offset(of position: TextPosition, _ encoding: PositionEncoding) -> Int {
        guard position.line < lineStarts.count else { return bytes.count }
        let line = line(max(0, position.line))
        var (offset, units) = (line.lowerBound, 0)
        while offset < line.upperBound {
            let size = Self.size(bytes[offset])
            units += encoding == .utf8 ? size : size == 4 ? 2 : 1
            if units > position.character { break }
            offset = min(offset + size, line.upperBound)
        }
        return offset
    }

    /// Returns the position of an offset; one inside a character is at its beginning.
    package func position(of offset: Int, _ encoding: PositionEncoding) -> TextPosition {
        let offset = max(0, min(offset, bytes.count))
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        // The end of a line has no positions of its own.
        let line = line(low)
        let end = min(offset, line.upperBound)
        var (at, units) = (line.lowerBound, 0)
        while at < end {
            let size = Self.size(bytes[at])
            if at + size > end { break }
            units += encoding == .utf8 ? size : size == 4 ? 2 : 1
            at += size
        }
        return TextPosition(line: low, character: units)
    }

    package func range(_ range: Range<Int>, _ encoding: PositionEncoding) -> TextRange {
        TextRange(
            start: position(of: range.lowerBound, encoding), end: position(of: range.upperBound, encoding))
    }

    /// Returns the number of bytes of a character, by its first one.
    private static func size(_ byte: UInt8) -> Int {
        switch byte {
        case ..<0xC0: 1
        case ..<0xE0: 2
        case ..<0xF0: 3
        default: 4
        }
    }

    // MARK: - Places of findings

    /// Returns the offset of a line and column as findings count them: from 1, in code points, and without a byte order
    /// mark.
    package func offset(line: Int, column: Int?, countsMark: Bool = false) -> Int {
        var start = 0
        for _ in 1..<max(1, line) {
            guard let feed = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return bytes.count }
            start = feed + 1
        }
        if start == 0, !countsMark, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
        var left = (column ?? 1) - 1
        while left > 0, start < bytes.count, bytes[start] != UInt8(ascii: "\n") {
            start = min(start + Self.size(bytes[start]), bytes.count)
            left -= 1
        }
        return start
    }

    /// The line ending that the text uses.
    var lineEnding: String {
        guard let feed = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return "\n" }
        return feed > 0 && bytes[feed - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n"
    }
}
