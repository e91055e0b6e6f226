extension TokenScanner {
    /// An integer, a hexadecimal integer or a floating point number; with letters at its end it is illegal.
    ///
    /// A `_` must stand between two digits (`sqlite3DequoteNumber` of util.c refuses others).
    func number(_ start: Int) -> (Token.Kind, Int) {
        var end = start
        var isWellFormed = true
        if byte(start) == UInt8(ascii: "0"), byte(start + 1) | 0x20 == UInt8(ascii: "x"),
            CharacterClass.isHexDigit(byte(start + 2))
        {
            end = start + 2
            digits(&end, &isWellFormed, CharacterClass.isHexDigit)
        } else {
            digits(&end, &isWellFormed, CharacterClass.isDigit)
            if byte(end) == UInt8(ascii: ".") {
                end += 1
                digits(&end, &isWellFormed, CharacterClass.isDigit)
            }
            if byte(end) | 0x20 == UInt8(ascii: "e"), let exponent = exponentDigits(end) {
                end = exponent
                digits(&end, &isWellFormed, CharacterClass.isDigit)
            }
        }
        while end < bytes.count, CharacterClass.isIdentifier(bytes[end]) {
            isWellFormed = false
            end += 1
        }
        return (isWellFormed ? .number : .illegal(.malformedNumber), end)
    }

    /// Where the digits of an exponent begin, if there are any behind the `e`.
    private func exponentDigits(_ e: Int) -> Int? {
        if CharacterClass.isDigit(byte(e + 1)) { return e + 1 }
        let isSigned = byte(e + 1) == UInt8(ascii: "+") || byte(e + 1) == UInt8(ascii: "-")
        return isSigned && CharacterClass.isDigit(byte(e + 2)) ? e + 2 : nil
    }

    @inline(__always)
    private func digits(_ end: inout Int, _ isWellFormed: inout Bool, _ isDigit: (UInt8) -> Bool) {
        let start = end
        while end < bytes.count {
            if bytes[end] == UInt8(ascii: "_") {
                if end == start || !isDigit(bytes[end - 1]) || !isDigit(byte(end + 1)) {
                    isWellFormed = false
                }
            } else if !isDigit(bytes[end]) {
                return
            }
            end += 1
        }
    }
}
