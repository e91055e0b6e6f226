extension TokenScanner {
    /// Returns an integer, a hexadecimal integer or a floating point number; with letters at its end it is
    /// illegal.
    ///
    /// A `_` must stand between two digits (`sqlite3DequoteNumber` of util.c refuses others).
    func number(_ start: Int) -> (Token.Kind, Int) {
        if byte(start) == UInt8(ascii: "0"), byte(start + 1) | 0x20 == UInt8(ascii: "x"),
            CharacterClass.isHexDigit(byte(start + 2))
        {
            return (.number, hexadecimalEnd(start + 3))
        }
        var end = start
        var isWellFormed = true
        digits(&end, &isWellFormed)
        if byte(end) == UInt8(ascii: ".") {
            end += 1
            digits(&end, &isWellFormed)
        }
        if byte(end) | 0x20 == UInt8(ascii: "e"), let exponent = exponentDigits(end) {
            end = exponent
            digits(&end, &isWellFormed)
        }
        while end < bytes.count, CharacterClass.isIdentifier(bytes[end]) {
            isWellFormed = false
            end += 1
        }
        return (isWellFormed ? .number : .illegal(.malformedNumber), end)
    }

    /// Returns the end of a hexadecimal number, the first letter that is not a digit of it. That letter
    /// begins a word: to SQLite before 3.46 `0x1Fg` is `0x1F AS g`. Newer versions refuse it.
    private func hexadecimalEnd(_ start: Int) -> Int {
        var end = start
        while CharacterClass.isHexDigit(byte(end))
            || byte(end) == UInt8(ascii: "_") && CharacterClass.isHexDigit(byte(end - 1))
                && CharacterClass.isHexDigit(byte(end + 1))
        {
            end += 1
        }
        return end
    }

    /// Returns where the digits of an exponent begin, if there are any after the `e`.
    private func exponentDigits(_ e: Int) -> Int? {
        if CharacterClass.isDigit(byte(e + 1)) { return e + 1 }
        let isSigned = byte(e + 1) == UInt8(ascii: "+") || byte(e + 1) == UInt8(ascii: "-")
        return isSigned && CharacterClass.isDigit(byte(e + 2)) ? e + 2 : nil
    }

    private func digits(_ end: inout Int, _ isWellFormed: inout Bool) {
        let start = end
        while end < bytes.count {
            if bytes[end] == UInt8(ascii: "_") {
                let isBetween = end > start && CharacterClass.isDigit(bytes[end - 1])
                if !isBetween || !CharacterClass.isDigit(byte(end + 1)) { isWellFormed = false }
            } else if !CharacterClass.isDigit(bytes[end]) {
                return
            }
            end += 1
        }
    }
}
