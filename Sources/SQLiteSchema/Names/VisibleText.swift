/// Text in which every character shows. Names, values and paths from untrusted files can then not end their
/// line, control a terminal, or change the direction of the text.
///
/// Hidden characters are written as `\u{202e}`.
package enum VisibleText {
    /// Returns a name, a value or a sentence, on one line.
    package static func line(_ text: String) -> String { spelledOut(text, keepsLines: false, as: spelling) }

    /// Returns one character in the form that people read.
    package static func spelling(_ scalar: Unicode.Scalar) -> String {
        "\\u{\(String(scalar.value, radix: 16))}"
    }

    /// Returns whether a character shows as nothing, looks like another one, or changes the text around it:
    /// controls, Unicode's format characters (such as those of writing direction), line separators, and
    /// characters that are ignored if they have no effect. Characters that choose between two shapes of
    /// another one are let through.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x20 else { return true }
        guard scalar.value >= 0x7F else { return false }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }

    package static func spelledOut(
        _ text: String, keepsLines: Bool, as spelling: (Unicode.Scalar) -> String
    ) -> String {
        if showsWhole(text, keepsLines: keepsLines) { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            if isHidden(scalar), !(keepsLines && scalar == "\n") {
                result += spelling(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns whether a look at the bytes is enough to say that no character is hidden.
    private static func showsWhole(_ text: String, keepsLines: Bool) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            // A loop that does not stop early takes many bytes at once.
            var isPlain = true
            let kept = keepsLines ? UInt8(ascii: "\n") : UInt8(ascii: " ")
            for byte in bytes { isPlain = isPlain && (byte &- 0x20 < 0x5F || byte == kept) }
            return isPlain || bytes.allSatisfy { !mayBeginHidden($0) || $0 == kept }
        }
    }

    /// Returns whether a hidden character may begin with a byte of UTF-8. In most scripts none does, so most
    /// text is scanned as bytes.
    package static func mayBeginHidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, 0xC2, 0xCD, 0xD8...0xDC, 0xE0...0xE3, 0xEF, 0xF0, 0xF3: true
        default: false
        }
    }
}
