/// How a database stores text (https://www.sqlite.org/fileformat2.html#enc).
public enum TextEncoding: String, Sendable {
    case utf8 = "UTF-8"
    case utf16LittleEndian = "UTF-16le"
    case utf16BigEndian = "UTF-16be"

    /// Returns stored bytes as text, invalid sequences replaced.
    public func decode(_ bytes: [UInt8]) -> String {
        switch self {
        case .utf8: return String(decoding: bytes, as: UTF8.self)
        case .utf16LittleEndian, .utf16BigEndian:
            let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
                let (a, b) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                return self == .utf16LittleEndian ? a | b << 8 : a << 8 | b
            }
            return String(decoding: units, as: UTF16.self)
        }
    }

    /// A character of stored text, or bytes that are none in the encoding.
    enum Piece: Equatable {
        case scalar(Unicode.Scalar)
        case invalid([UInt8])
    }

    /// Returns the first pieces of stored bytes.
    func pieces(of bytes: [UInt8], limit: Int) -> [Piece] {
        switch self {
        case .utf8: return Self.pieces(of: bytes, limit: limit, as: UTF8.self) { [$0] }
        case .utf16LittleEndian, .utf16BigEndian:
            let isLittle = self == .utf16LittleEndian
            let units = stride(from: 0, to: bytes.count - 1, by: 2).prefix(limit * 2).map { index in
                let (a, b) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                return isLittle ? a | b << 8 : a << 8 | b
            }
            let pieces = Self.pieces(of: units, limit: limit, as: UTF16.self) { unit in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 255))
                return isLittle ? [low, high] : [high, low]
            }
            guard bytes.count % 2 == 1, let last = bytes.last, pieces.count < limit else { return pieces }
            return pieces + [.invalid([last])]
        }
    }

    private static func pieces<Encoding: Unicode.Encoding>(
        of units: [Encoding.CodeUnit], limit: Int, as encoding: Encoding.Type,
        bytes: (Encoding.CodeUnit) -> [UInt8]
    ) -> [Piece] {
        var pieces: [Piece] = []
        var (rest, place) = (units.makeIterator(), 0)
        var parser = Encoding.ForwardParser()
        while pieces.count < limit {
            switch parser.parseScalar(from: &rest) {
            case .emptyInput: return pieces
            case .valid(let encoded):
                place += encoded.count
                pieces.append(.scalar(Encoding.decode(encoded)))
            case .error(let length):
                pieces.append(.invalid(units[place..<min(place + length, units.count)].flatMap(bytes)))
                place += length
            }
        }
        return pieces
    }
}
