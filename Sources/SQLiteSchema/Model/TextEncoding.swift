/// How a database stores text, by the names of `PRAGMA encoding` (https://www.sqlite.org/fileformat2.html#enc).
public enum TextEncoding: String, Sendable, Hashable, CaseIterable {
    case utf8 = "UTF-8"
    case utf16LittleEndian = "UTF-16le"
    case utf16BigEndian = "UTF-16be"

    /// Creates the encoding that a database's header gives as a number; nil for a number that SQLite does not use.
    public init?(stored number: UInt32) {
        switch number {
        case 1: self = .utf8
        case 2: self = .utf16LittleEndian
        case 3: self = .utf16BigEndian
        default: return nil
        }
    }

    /// Returns stored bytes as text, invalid sequences replaced.
    public func decode(_ bytes: some RandomAccessCollection<UInt8>) -> String {
        self == .utf8
            ? String(decoding: bytes, as: UTF8.self) : String(decoding: units(bytes), as: UTF16.self)
    }

    /// Returns stored bytes as text; nil if they are not valid text.
    public func exactText(_ bytes: some RandomAccessCollection<UInt8>) -> String? {
        guard self != .utf8 else { return String(validating: bytes, as: UTF8.self) }
        return bytes.count.isMultiple(of: 2) ? String(validating: units(bytes), as: UTF16.self) : nil
    }

    /// Returns text as it is stored.
    package func encode(_ text: String) -> [UInt8] {
        guard self != .utf8 else { return Array(text.utf8) }
        return text.utf16.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 255))
            return self == .utf16LittleEndian ? [low, high] : [high, low]
        }
    }

    /// Returns the units of UTF-16; a last byte without its other half is left out.
    private func units<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> [UInt16] {
        var index = bytes.startIndex
        return (0..<bytes.count / 2).map { _ in
            let (a, b) = (UInt16(bytes[index]), UInt16(bytes[bytes.index(after: index)]))
            index = bytes.index(index, offsetBy: 2)
            return self == .utf16LittleEndian ? a | b << 8 : a << 8 | b
        }
    }
}
