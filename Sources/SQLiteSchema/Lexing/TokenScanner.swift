/// A scanner for the token that begins at a byte: `sqlite3GetToken` of tokenize.c.
///
/// Every read beyond the text returns 0, like the terminator of C text, so a NUL within the text ends a
/// string or a comment as it does in SQLite.
struct TokenScanner {
    let bytes: UnsafeBufferPointer<UInt8>

    @inline(__always)
    func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    /// Returns the token at an offset within the text.
    func token(at start: Int) -> Token {
        let first = byte(start)
        let end: Int
        let kind: Token.Kind
        switch first {
        case 0x61...0x7A, 0x41...0x5A, 0x5F, 0x80...:
            (kind, end) = word(start, first)
        case 0x30...0x39:
            (kind, end) = number(start)
        case 0x20, 0x09, 0x0A, 0x0C, 0x0D:
            (kind, end) = (.whitespace, skip(start + 1, CharacterClass.isSpace))
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
            (kind, end) = quoted(start, first)
        case UInt8(ascii: "["):
            (kind, end) = bracketed(start)
        case UInt8(ascii: "?"):
            (kind, end) = (.variable, skip(start + 1, CharacterClass.isDigit))
        case UInt8(ascii: "$"), UInt8(ascii: "@"), UInt8(ascii: "#"), UInt8(ascii: ":"):
            (kind, end) = variable(start)
        case UInt8(ascii: ".") where CharacterClass.isDigit(byte(start + 1)):
            (kind, end) = number(start)
        case UInt8(ascii: "-") where byte(start + 1) == UInt8(ascii: "-"):
            (kind, end) = (.lineComment, skip(start + 2) { $0 != 0 && $0 != 0x0A })
        case UInt8(ascii: "/") where byte(start + 1) == UInt8(ascii: "*") && byte(start + 2) != 0:
            (kind, end) = (.blockComment, blockCommentEnd(start))
        default:
            (kind, end) = symbol(start, first)
        }
        return Token(kind: kind, range: start..<end)
    }

    @inline(__always)
    private func skip(_ start: Int, _ goesOn: (UInt8) -> Bool) -> Int {
        var end = start
        while end < bytes.count, goesOn(bytes[end]) { end += 1 }
        return end
    }

    @inline(__always)
    private func word(_ start: Int, _ first: UInt8) -> (Token.Kind, Int) {
        if first | 0x20 == UInt8(ascii: "x"), byte(start + 1) == UInt8(ascii: "'") { return blob(start) }
        if first == 0xEF, byte(start + 1) == 0xBB, byte(start + 2) == 0xBF { return (.whitespace, start + 3) }
        return (.word, skip(start + 1, CharacterClass.isIdentifier))
    }

    private func blob(_ start: Int) -> (Token.Kind, Int) {
        var end = skip(start + 2, CharacterClass.isHexDigit)
        let isWhole = byte(end) == UInt8(ascii: "'") && (end - start) % 2 == 0
        if !isWhole { end = skip(end) { $0 != 0 && $0 != UInt8(ascii: "'") } }
        if byte(end) != 0 { end += 1 }
        return (isWhole ? .blob : .illegal(.malformedBlob), end)
    }

    private func quoted(_ start: Int, _ quote: UInt8) -> (Token.Kind, Int) {
        let isString = quote == UInt8(ascii: "'")
        var end = start + 1
        while end < bytes.count, bytes[end] != 0 {
            guard bytes[end] == quote else {
                end += 1
                continue
            }
            guard byte(end + 1) == quote else { return (isString ? .string : .quotedIdentifier, end + 1) }
            end += 2
        }
        return (.illegal(isString ? .unterminatedString : .unterminatedIdentifier), end)
    }

    private func bracketed(_ start: Int) -> (Token.Kind, Int) {
        let end = skip(start + 1) { $0 != 0 && $0 != UInt8(ascii: "]") }
        return byte(end) == 0 ? (.illegal(.unterminatedIdentifier), end) : (.quotedIdentifier, end + 1)
    }

    private func blockCommentEnd(_ start: Int) -> Int {
        var end = start + 2
        while end < bytes.count, bytes[end] != 0 {
            if bytes[end] == UInt8(ascii: "*"), byte(end + 1) == UInt8(ascii: "/") { return end + 2 }
            end += 1
        }
        return end
    }

    private func variable(_ start: Int) -> (Token.Kind, Int) {
        var end = start + 1
        var letters = 0
        while end < bytes.count, bytes[end] != 0 {
            if CharacterClass.isIdentifier(bytes[end]) {
                letters += 1
            } else if bytes[end] == UInt8(ascii: "("), letters > 0 {
                // A Tcl array element, `$name(index)`, without spaces inside.
                end = skip(end + 1) { $0 != 0 && !CharacterClass.isSpace($0) && $0 != UInt8(ascii: ")") }
                guard byte(end) == UInt8(ascii: ")") else { return (.illegal(.malformedVariable), end) }
                return (.variable, end + 1)
            } else if bytes[end] == UInt8(ascii: ":"), byte(end + 1) == UInt8(ascii: ":") {
                end += 1
            } else {
                break
            }
            end += 1
        }
        return (letters > 0 ? .variable : .illegal(.malformedVariable), end)
    }

    private func symbol(_ start: Int, _ first: UInt8) -> (Token.Kind, Int) {
        let second = byte(start + 1)
        switch first {
        case UInt8(ascii: "-"):
            guard second == UInt8(ascii: ">") else { return (.symbol, start + 1) }
            return (.symbol, start + (byte(start + 2) == UInt8(ascii: ">") ? 3 : 2))
        case UInt8(ascii: "<"):
            return (.symbol, start + (second >= UInt8(ascii: "<") && second <= UInt8(ascii: ">") ? 2 : 1))
        case UInt8(ascii: ">"):
            return (.symbol, start + (second == UInt8(ascii: "=") || second == UInt8(ascii: ">") ? 2 : 1))
        case UInt8(ascii: "="), UInt8(ascii: "|"):
            return (.symbol, start + (second == first ? 2 : 1))
        case UInt8(ascii: "!"):
            return second == UInt8(ascii: "=") ? (.symbol, start + 2) : (.illegal(.strayCharacter), start + 1)
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "."),
            UInt8(ascii: "+"), UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "~"):
            return (.symbol, start + 1)
        case 0:
            return (.illegal(.nul), start + 1)
        default:
            return (.illegal(.strayCharacter), start + 1)
        }
    }
}
