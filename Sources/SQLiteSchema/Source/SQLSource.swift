/// A SQL text and the name under which it is reported.
///
/// The text is kept as bytes, since SQLite reads bytes: invalid UTF-8 is preserved. Copies share one storage,
/// so every statement can hold its source.
public struct SQLSource: Sendable {
    /// The text's name in messages: the path of its file, as the user gave it.
    public var name: String { storage.name }

    /// The whole text, a byte order mark included.
    public var bytes: [UInt8] { storage.bytes }

    private let storage: Storage

    private final class Storage: Sendable {
        let name: String
        let bytes: [UInt8]
        /// The offset at which each line begins; the first is always 0.
        let lineStarts: [Int]
        let characters: CharacterCount
        /// Long lines by their index: many findings may quote one, and then share its text.
        private let longLines: [Int: String]

        init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
            self.lineStarts = bytes.withUnsafeBufferPointer { bytes in
                var starts = [0]
                for offset in 0..<bytes.count where bytes[offset] == UInt8(ascii: "\n") {
                    starts.append(offset + 1)
                }
                return starts
            }
            characters = CharacterCount(bytes)
            var longLines: [Int: String] = [:]
            for (index, start) in lineStarts.enumerated() {
                let isLast = index + 1 == lineStarts.count
                let end = isLast ? bytes.count : lineStarts[index + 1] - 1
                guard end - start > Self.longLine else { continue }
                longLines[index] = String(
                    decoding: bytes[SQLSource.text(start..<end, bytes, isLast)], as: UTF8.self)
            }
            self.longLines = longLines
        }

        private static let longLine = 1024

        func text(ofLine index: Int) -> String {
            if let text = longLines[index] { return text }
            let isLast = index + 1 == lineStarts.count
            let end = isLast ? bytes.count : lineStarts[index + 1] - 1
            return String(
                decoding: bytes[SQLSource.text(lineStarts[index]..<end, bytes, isLast)], as: UTF8.self)
        }
    }

    public init(name: String, bytes: [UInt8]) {
        storage = Storage(name: name, bytes: bytes)
    }

    public init(name: String, _ text: String) {
        self.init(name: name, bytes: Array(text.utf8))
    }

    /// The number of lines; a text that ends with a line ending has an empty line after it.
    public var lineCount: Int { storage.lineStarts.count }

    /// Returns the line and column of a byte; an offset outside the text counts as its nearest end.
    ///
    /// A byte order mark has no column: editors do not show it.
    public func location(at offset: Int) -> SourceLocation {
        let offset = max(0, min(offset, bytes.count))
        var low = 0
        var high = storage.lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if storage.lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let start = textStart(ofLine: low)
        let column = offset > start ? storage.characters.count(in: start..<offset, of: bytes) + 1 : 1
        return SourceLocation(line: low + 1, column: column, offset: offset)
    }

    /// Returns the text of a line, counted from 1, without its line ending and a byte order mark; empty for a
    /// line that does not exist.
    public func lineText(_ line: Int) -> String {
        guard line >= 1, line <= lineCount else { return "" }
        return storage.text(ofLine: line - 1)
    }

    /// Returns the range of a line without the CR of its ending and without a byte order mark.
    private static func text(_ line: Range<Int>, _ bytes: [UInt8], _ isLast: Bool) -> Range<Int> {
        var (start, end) = (line.lowerBound, line.upperBound)
        if start == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
        if end > start, !isLast, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<max(start, end)
    }

    /// Returns the bytes of a range as text, with U+FFFD for invalid UTF-8; the range is limited to the text.
    public func text(in range: Range<Int>) -> String {
        String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
    }

    private func textStart(ofLine index: Int) -> Int {
        let start = storage.lineStarts[index]
        return index == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : start
    }
}
