import SQLiteSchema

/// The last check of text for people before it is printed. It spells out what a report did not, and breaks everything
/// that a continuous integration would read from its log as a command.
package enum TerminalText {
    /// Returns the text with new lines and tabs kept, and colours (`ESC [ digits m`) where there are any.
    package static func of(_ text: [UInt8], withColors: Bool) -> [UInt8] {
        guard needsCheck(text) else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 16)
        var rest = text[...]
        var isLineStart = true
        while let byte = rest.first {
            let plain = plainCount(rest, &isLineStart)
            if plain > 0 {
                result += rest.prefix(plain)
                rest = rest.dropFirst(plain)
            } else if withColors, let color = color(rest) {
                result += rest.prefix(color)
                rest = rest.dropFirst(color)
            } else if let (scalar, count) = hidden(rest) {
                result += VisibleText.spelling(scalar).utf8
                rest = rest.dropFirst(count)
                isLineStart = false
            } else {
                if beginsCommand(rest, isLineStart) {
                    result += VisibleText.spelling(Unicode.Scalar(byte)).utf8
                } else {
                    result.append(byte)
                }
                rest = rest.dropFirst()
                isLineStart = byte == 0x0A || isLineStart && (byte == 0x20 || byte == 0x09)
            }
        }
        return result
    }

    /// Whether a byte, by its value, may begin something hidden, a colour or a command.
    private static let isSpecial: [Bool] = (UInt8.min...UInt8.max).map { byte in
        switch byte {
        case 0x0A, 0x09: false
        case 0x3A, 0x23: true
        default: VisibleText.mayBeginHidden(byte)
        }
    }

    /// Returns how many bytes a text begins with that are not special.
    private static func plainCount(_ text: ArraySlice<UInt8>, _ isLineStart: inout Bool) -> Int {
        let isSpecial = isSpecial
        return text.withUnsafeBufferPointer { bytes in
            for (index, byte) in bytes.enumerated() {
                if isSpecial[Int(byte)] { return index }
                isLineStart = byte == 0x0A || isLineStart && (byte == 0x20 || byte == 0x09)
            }
            return bytes.count
        }
    }

    /// Returns whether a line of a text would be read as a command in the log of a continuous integration.
    /// - Parameter isLineStart: whether the text begins a line; afterwards, whether the text after it does.
    package static func holdsCommand(_ text: [UInt8], _ isLineStart: inout Bool) -> Bool {
        var holds = false
        for (index, byte) in text.enumerated() {
            if byte == 0x3A || byte == 0x23, beginsCommand(text[index...], isLineStart) { holds = true }
            // A carriage return begins a line there too.
            isLineStart = byte == 0x0A || byte == 0x0D || isLineStart && (byte == 0x20 || byte == 0x09)
        }
        return holds
    }

    /// Returns lines in which no name or value begins a command, and without colours.
    static func lines(_ text: String) -> String {
        String(decoding: of(Array(text.utf8), withColors: false), as: UTF8.self)
    }

    private static func needsCheck(_ text: [UInt8]) -> Bool {
        let isSpecial = isSpecial
        var last: UInt8 = 0
        for byte in text {
            // A command begins with one of these twice.
            if isSpecial[Int(byte)], byte == last || byte != 0x3A && byte != 0x23 { return true }
            last = byte
        }
        return false
    }

    /// Returns whether a text begins a command. `::warning::` begins a line of GitHub's log, not counting blanks;
    /// `##[warning]`, `##vso[` and `##teamcity[` may appear anywhere
    /// (https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands).
    private static func beginsCommand(_ text: ArraySlice<UInt8>, _ isLineStart: Bool) -> Bool {
        if text.starts(with: [0x3A, 0x3A]) { return isLineStart }
        guard text.starts(with: [0x23, 0x23]) else { return false }
        let word = text.dropFirst(2).prefix { (0x61...0x7A).contains($0 | 0x20) }
        return text.dropFirst(2 + word.count).first == UInt8(ascii: "[")
    }

    /// - Returns: the number of bytes in the sequence.
    private static func color(_ text: ArraySlice<UInt8>) -> Int? {
        guard text.starts(with: [0x1B, UInt8(ascii: "[")]) else { return nil }
        let digits = text.dropFirst(2).prefix {
            (UInt8(ascii: "0")...UInt8(ascii: ";")).contains($0) && $0 != UInt8(ascii: ":")
        }
        guard text.dropFirst(2 + digits.count).first == UInt8(ascii: "m") else { return nil }
        return 3 + digits.count
    }

    /// - Returns: the scalar to spell out, and the number of its bytes; nil for a visible one, and for bytes that are
    ///   not UTF-8.
    private static func hidden(_ text: ArraySlice<UInt8>) -> (scalar: Unicode.Scalar, count: Int)? {
        guard let first = text.first, VisibleText.mayBeginHidden(first), first != 0x0A, first != 0x09 else {
            return nil
        }
        let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard let string = String(validating: text.prefix(count), as: UTF8.self),
            let scalar = string.unicodeScalars.first, VisibleText.isHidden(scalar)
        else { return nil }
        return (scalar, count)
    }
}
