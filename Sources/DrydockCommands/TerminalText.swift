import SQLiteSchema

/// What is printed for people, the last thing before it leaves: whatever a report forgot to spell out is spelled out
/// here, and nothing that a continuous integration reads from its log as a command is left standing.
enum TerminalText {
    /// New lines and tabs are let through, and colours (`ESC [ digits m`) where there are any.
    static func of(_ text: [UInt8], withColors: Bool) -> [UInt8] {
        guard needsLook(text) else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 16)
        var rest = text[...]
        var isLineStart = true
        while let byte = rest.first {
            if withColors, let color = color(rest) {
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

    /// Whether a line of a text would be read as a command where it is printed to the log of a continuous integration.
    /// - Parameter isLineStart: whether the text begins a line; afterwards whether what follows it does.
    static func holdsCommand(_ text: [UInt8], _ isLineStart: inout Bool) -> Bool {
        var holds = false
        for (index, byte) in text.enumerated() {
            if byte == 0x3A || byte == 0x23, beginsCommand(text[index...], isLineStart) { holds = true }
            // A carriage return begins a line there as well.
            isLineStart = byte == 0x0A || byte == 0x0D || isLineStart && (byte == 0x20 || byte == 0x09)
        }
        return holds
    }

    private static func needsLook(_ text: [UInt8]) -> Bool {
        var last: UInt8 = 0
        for byte in text {
            if VisibleText.mayBeginHidden(byte) && byte != 0x0A && byte != 0x09 { return true }
            if byte == last, byte == UInt8(ascii: ":") || byte == UInt8(ascii: "#") { return true }
            last = byte
        }
        return false
    }

    /// `::warning::` begins a line of GitHub's log, blanks left out; `##[warning]`, `##vso[` and `##teamcity[` may stand
    /// anywhere (https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands).
    private static func beginsCommand(_ text: ArraySlice<UInt8>, _ isLineStart: Bool) -> Bool {
        if text.starts(with: [0x3A, 0x3A]) { return isLineStart }
        guard text.starts(with: [0x23, 0x23]) else { return false }
        let word = text.dropFirst(2).prefix { (0x61...0x7A).contains($0 | 0x20) }
        return text.dropFirst(2 + word.count).first == UInt8(ascii: "[")
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

    /// - Returns: the scalar to spell out, and of how many bytes it is; nil for one that shows, and for what is no
    ///   UTF-8.
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
