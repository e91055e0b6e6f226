/// A position as LSP counts it: lines and code units from 0.
package struct TextPosition: Sendable, Hashable, Comparable {
    package var line: Int
    package var character: Int

    package init(line: Int, character: Int) { (self.line, self.character) = (line, character) }

    package static func < (a: TextPosition, b: TextPosition) -> Bool {
        (a.line, a.character) < (b.line, b.character)
    }

    init?(_ value: JSONValue?) {
        guard let line = value?["line"]?.int, let character = value?["character"]?.int, line >= 0,
            character >= 0
        else { return nil }
        (self.line, self.character) = (line, character)
    }

    var json: JSONValue { ["line": .int(line), "character": .int(character)] }
}

/// A range as LSP counts it, without its end.
package struct TextRange: Sendable, Hashable {
    package var start: TextPosition
    package var end: TextPosition

    package init(start: TextPosition, end: TextPosition) { (self.start, self.end) = (start, end) }

    init?(_ value: JSONValue?) {
        guard let start = TextPosition(value?["start"]), let end = TextPosition(value?["end"]) else {
            return nil
        }
        (self.start, self.end) = (start, max(start, end))
    }

    var json: JSONValue { ["start": start.json, "end": end.json] }

    /// Whether they have a position in common; an empty range at an end of the other one counts.
    func touches(_ other: TextRange) -> Bool { start <= other.end && other.start <= end }
}

/// What a character of a position is.
package enum PositionEncoding: String, Sendable {
    case utf8 = "utf-8"
    case utf16 = "utf-16"
}
