import SQLiteSchema

extension VisibleText {
    /// Returns several lines; their line breaks are kept.
    package static func lines(_ text: String) -> String { spelledOut(text, keepsLines: true, as: spelling) }

    /// Returns a JSON document. Hidden characters can only be in its strings, where an escape reads back as
    /// the same character. `##[` is escaped too, so that it cannot begin a command in a CI log.
    package static func json(_ document: String) -> String {
        let text = spelledOut(document, keepsLines: true) { scalar in
            String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
        return holds(UInt8(ascii: "#"), text) ? text.replacing("##", with: "#\\u0023") : text
    }

    /// Returns the name from which ``line(_:)`` made a text.
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

    private static func holds(_ byte: UInt8, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { $0.contains(byte) }
    }
}
