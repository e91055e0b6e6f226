extension NormalizedSQL: CustomStringConvertible {
    /// The statement on one line: keywords in upper case, names in lower case, quoted only if they must be.
    ///
    /// Equal statements have equal texts, and the text has the same meaning as the statement.
    public var description: String {
        var text = ""
        var last: Item?
        for item in items {
            if let last, Self.needsSpace(last, item) { text += " " }
            text += Self.text(item)
            last = item
        }
        return text
    }

    private static func text(_ item: Item) -> String {
        switch item {
        case .keyword(let word): word.uppercasedASCII
        case .word(let name): quotedIfNeeded(name)
        case .literal(let text), .symbol(let text), .illegal(let text): text
        }
    }

    private static func quotedIfNeeded(_ name: String) -> String {
        let bytes = Array(name.utf8)
        let isPlain =
            bytes.first.map {
                CharacterClass.isIdentifier($0) && !CharacterClass.isDigit($0) && $0 != UInt8(ascii: "$")
            } ?? false
            && bytes.allSatisfy(CharacterClass.isIdentifier) && !bytes.starts(with: [0xEF, 0xBB, 0xBF])
            && !Keywords.neverNames.contains(name) && !Keywords.contextual.contains(name)
        return isPlain ? name : SQLName.quoted(name)
    }

    static func needsSpace(_ last: Item, _ next: Item) -> Bool {
        switch (last, next) {
        case (_, .symbol(",")), (_, .symbol(")")), (_, .symbol(";")), (.symbol("("), _): return false
        case (.word, .symbol("(")), (.word, .symbol(".")): return false
        case (.symbol("."), .word), (.symbol("."), .symbol("*")): return false
        default: return true
        }
    }
}
