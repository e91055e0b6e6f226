/// UTF-8 with control characters, and those that turn the direction of writing, spelled out as `\u{1b}`.
enum VisibleText {
    /// New lines and tabs are let through, and colours (`ESC [ digits m`) where there are any.
    static func of(_ text: [UInt8], withColors: Bool) -> [UInt8] {
        guard text.contains(where: mayBegin) else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 16)
        var rest = text[...]
        while let byte = rest.first {
            if withColors, let color = color(rest) {
                result += rest.prefix(color)
                rest = rest.dropFirst(color)
            } else if mayBegin(byte), let (scalar, count) = hidden(rest) {
                result += "\\u{\(String(scalar, radix: 16))}".utf8
                rest = rest.dropFirst(count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    private static func mayBegin(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0x0A && byte != 0x09 || byte == 0x7F || byte == 0xC2 || byte == 0xE2
    }

    /// - Returns: how many bytes the sequence has.
    private static func color(_ text: ArraySlice<UInt8>) -> Int? {
        guard text.starts(with: [0x1B, UInt8(ascii: "[")]) else { return nil }
        let digits = text.dropFirst(2).prefix {
            (UInt8(ascii: "0")...UInt8(ascii: ";")).contains($0) && $0 != UInt8(ascii: ":")
        }
        guard text.dropFirst(2 + digits.count).first == UInt8(ascii: "m") else { return nil }
        return 3 + digits.count
    }

    /// - Returns: the scalar to spell out, and of how many bytes it is.
    private static func hidden(_ text: ArraySlice<UInt8>) -> (scalar: UInt32, count: Int)? {
        let bytes = Array(text.prefix(3))
        if bytes[0] < 0x80 { return (UInt32(bytes[0]), 1) }
        if bytes[0] == 0xC2, bytes.count > 1, bytes[1] < 0xA0 { return (UInt32(bytes[1]), 2) }
        guard bytes.count == 3, bytes[0] == 0xE2 else { return nil }
        let scalar = 0x2000 | UInt32(bytes[1] & 0x3F) << 6 | UInt32(bytes[2] & 0x3F)
        // U+200E and U+200F, U+202A to U+202E, U+2066 to U+2069
        // (https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters).
        let turns = scalar == 0x200E || scalar == 0x200F || (0x202A...0x202E).contains(scalar)
        return turns || (0x2066...0x2069).contains(scalar) ? (scalar, 3) : nil
    }
}
