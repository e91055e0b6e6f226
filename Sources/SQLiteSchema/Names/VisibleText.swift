/// Text whose every character shows: names, values and paths out of files that nobody vouches for can neither end the
/// line on which they stand, nor steer a terminal, nor turn the direction of what is read.
///
/// What is hidden is spelled out as `\u{202e}`.
package enum VisibleText {
    /// A name, a value or a sentence, on one line.
    package static func line(_ text: String) -> String { spelledOut(text, keepsLines: false, as: spelling) }

    /// Several lines, whose breaks are meant.
    package static func lines(_ text: String) -> String { spelledOut(text, keepsLines: true, as: spelling) }

    /// A JSON document: what is hidden can only be in its strings, and reads back from its other spelling. Nor does
    /// `##[` begin a command in the log of a continuous integration.
    package static func json(_ document: String) -> String {
        let text = spelledOut(document, keepsLines: true) { scalar in
            String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
        return text.utf8.contains(UInt8(ascii: "#")) ? text.replacing("##", with: "#\\u0023") : text
    }

    /// One character as people read it.
    package static func spelling(_ scalar: Unicode.Scalar) -> String {
        "\\u{\(String(scalar.value, radix: 16))}"
    }

    /// The name that ``line(_:)`` made a text of.
    package static func name(_ text: String) -> String {
        guard text.contains("\\u{") else { return text }
        let parts = text.split(separator: "\\u{", omittingEmptySubsequences: false)
        var name = String(parts.first ?? "")
        for part in parts.dropFirst() {
            guard let end = part.firstIndex(of: "}"), let value = UInt32(part[..<end], radix: 16),
                let scalar = Unicode.Scalar(value), isHidden(scalar)
            else {
                name += "\\u{" + part
                continue
            }
            name.unicodeScalars.append(scalar)
            name += part[part.index(after: end)...]
        }
        return name
    }

    /// Whether a character shows as nothing, as another, or as a change of what is around it: controls, what Unicode
    /// calls format characters, such as those of writing direction, separators of lines, and what is to be ignored
    /// where it has no effect. What chooses between two shapes of one character is let through.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x20 else { return true }
        guard scalar.value >= 0x7F else { return false }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }

    private static func spelledOut(
        _ text: String, keepsLines: Bool, as spelling: (Unicode.Scalar) -> String
    ) -> String {
        let mayStay = text.utf8.allSatisfy { !mayBeginHidden($0) || keepsLines && $0 == UInt8(ascii: "\n") }
        if mayStay { return text }
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

    /// Whether something hidden may begin with a byte of UTF-8. In most scripts nothing does, so that most text is
    /// looked through at the speed of its bytes.
    package static func mayBeginHidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, 0xC2, 0xCD, 0xD8...0xDC, 0xE0...0xE3, 0xEF, 0xF0, 0xF3: true
        default: false
        }
    }
}
