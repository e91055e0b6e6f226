/// A text of SQL with the name it is reported under.
///
/// The text is kept as bytes, since SQLite reads bytes: what is not UTF-8 is carried through, not repaired.
/// Copies share one storage, so that every statement can hold its source.
public struct SQLSource: Sendable {
    /// What messages call the text: the path of its file, as the user gave it.
    public var name: String { storage.name }

    /// The whole text, a byte order mark included.
    public var bytes: [UInt8] { storage.bytes }

    private let storage: Storage

    private final class Storage: Sendable {
        let name: String
        let bytes: [UInt8]
        /// The offset at which each line begins; the first is always 0.
        let lineStarts: [Int]

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

    /// The line and column of a byte; an offset outside the text counts as its nearest end.
    ///
    /// A byte order mark has no column of its own: editors do not show it.
    public func location(at offset: Int) -> SourceLocation {
        let offset = max(0, min(offset, bytes.count))
        var low = 0
        var high = storage.lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if storage.lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let start = textStart(ofLine: low)
        let before = offset > start ? String(decoding: bytes[start..<offset], as: UTF8.self) : ""
        return SourceLocation(line: low + 1, column: before.unicodeScalars.count + 1, offset: offset)
    }

    /// The text of a line, counted from 1, without its line ending and a byte order mark; empty for a line
    /// that is not there.
    public func lineText(_ line: Int) -> String {
        guard line >= 1, line <= lineCount else { return "" }
        let start = textStart(ofLine: line - 1)
        var end = line < lineCount ? storage.lineStarts[line] - 1 : bytes.count
        if end > start, line < lineCount, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
    }

    /// The bytes of a range as text, with U+FFFD where they are not UTF-8; the range is cut to the text.
    public func text(in range: Range<Int>) -> String {
        String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
    }

    private func textStart(ofLine index: Int) -> Int {
        let start = storage.lineStarts[index]
        return index == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : start
    }
}
