/// A counter of the Unicode characters in any part of a UTF-8 text, in time that does not grow with the part:
/// many findings may be on one long line, and each has a column.
///
/// Invalid UTF-8 counts as `String(decoding:as:)` reads it, as one U+FFFD for each piece.
struct CharacterCount: Sendable {
    /// The approximate number of bytes between two offsets with a known count, or a few more.
    static let stride = 256

    /// Offsets at which a character begins, whatever precedes it, and the number of characters before them.
    private let marks: [(offset: Int, count: Int)]

    init(_ bytes: [UInt8]) {
        var marks: [(offset: Int, count: Int)] = [(0, 0)]
        marks.reserveCapacity(bytes.count / Self.stride + 1)
        bytes.withUnsafeBufferPointer { bytes in
            var (start, count) = (0, 0)
            while start + Self.stride < bytes.count {
                var end = start + Self.stride
                while end < bytes.count, !Self.begins(at: end, bytes) { end += 1 }
                count += Self.decode(bytes[start..<end])
                marks.append((end, count))
                start = end
            }
        }
        self.marks = marks
    }

    /// - Parameter range: a range that begins at the start of a character, such as that of a line.
    func count(in range: Range<Int>, of bytes: [UInt8]) -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            count(upTo: range.upperBound, bytes) - count(upTo: range.lowerBound, bytes)
        }
    }

    private func count(upTo offset: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var (low, high) = (0, marks.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if marks[middle].offset <= offset { low = middle } else { high = middle }
        }
        return marks[low].count + Self.decode(bytes[marks[low].offset..<offset])
    }

    /// Returns whether a character begins at an offset: at any byte that is not a continuation byte, and at
    /// the fourth of four continuation bytes.
    private static func begins(at offset: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        func continues(_ offset: Int) -> Bool { offset >= 0 && bytes[offset] & 0xC0 == 0x80 }
        return !continues(offset) || (1...3).allSatisfy { continues(offset - $0) }
    }

    private static func decode(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        let bytes = UnsafeBufferPointer(rebasing: bytes)
        // Most text is ASCII, and eight bytes are checked at once.
        let raw = UnsafeRawBufferPointer(bytes)
        var offset = 0
        while offset + 8 <= raw.count,
            raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            offset += 8
        }
        while offset < raw.count, raw[offset] < 0x80 { offset += 1 }
        if offset == raw.count { return offset }
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.count
    }
}
