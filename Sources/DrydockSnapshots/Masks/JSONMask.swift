/// Masks the texts and numbers in a JSON document; its keys, its shape and its spaces stay.
struct JSONMask {
    let text: TextMask

    /// Whether a text is a JSON document (RFC 8259).
    static func isJSON(_ bytes: [UInt8]) -> Bool {
        var reader = JSONReader(bytes)
        return (try? reader.document()) != nil
    }

    /// - Returns: The text itself if it is not JSON.
    func mask(_ bytes: [UInt8]) -> [UInt8] {
        var reader = JSONReader(bytes)
        guard let tokens = try? reader.document() else { return bytes }
        var (result, end): ([UInt8], Int) = ([], 0)
        for token in tokens {
            result += bytes[end..<token.range.lowerBound]
            let part = Array(bytes[token.range])
            result += token.isText ? string(part) : number(part)
            end = token.range.upperBound
        }
        return result + bytes[end...]
    }

    private func number(_ bytes: [UInt8]) -> [UInt8] {
        let exponent = bytes.firstIndex { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") } ?? bytes.count
        return text.numbers.decimal(Array(bytes[..<exponent])) + bytes[exponent...]
    }

    /// Masks a string with its quotes. One without escapes is masked as the same text elsewhere.
    private func string(_ bytes: [UInt8]) -> [UInt8] {
        let content = Array(bytes.dropFirst().dropLast())
        let quote = UInt8(ascii: "\"")
        guard content.contains(UInt8(ascii: "\\")) else { return [quote] + text.mask(content) + [quote] }
        return [quote] + Self.escaped(text.mask(Self.plain(content))) + [quote]
    }

    private static func plain(_ content: [UInt8]) -> [UInt8] {
        var (units, rest): ([UInt8], ArraySlice<UInt8>) = ([], content[...])
        var pending: [UInt16] = []
        func flush(_ pending: inout [UInt16]) -> [UInt8] {
            defer { pending = [] }
            return Array(String(decoding: pending, as: UTF16.self).utf8)
        }
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let mark = rest.popFirst() else {
                units += flush(&pending) + [byte]
                continue
            }
            if mark == UInt8(ascii: "u") {
                let digits = String(decoding: rest.prefix(4), as: UTF8.self)
                rest = rest.dropFirst(4)
                pending.append(UInt16(digits, radix: 16) ?? 0xfffd)
            } else {
                units += flush(&pending) + [escapes.first { $0.mark == mark }?.byte ?? mark]
            }
        }
        return units + flush(&pending)
    }

    private static let escapes: [(mark: UInt8, byte: UInt8)] = [
        (UInt8(ascii: "n"), 10), (UInt8(ascii: "t"), 9), (UInt8(ascii: "r"), 13), (UInt8(ascii: "b"), 8),
        (UInt8(ascii: "f"), 12), (UInt8(ascii: "\""), UInt8(ascii: "\"")),
        (UInt8(ascii: "\\"), UInt8(ascii: "\\")),
    ]

    private static func escaped(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { byte -> [UInt8] in
            if let mark = escapes.first(where: { $0.byte == byte })?.mark {
                return [UInt8(ascii: "\\"), mark]
            }
            guard byte < 32 else { return [byte] }
            let digits = String(byte, radix: 16)
            return Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
        }
    }
}

/// Finds the texts and numbers of a JSON document that are not keys.
struct JSONReader {
    struct Token {
        var range: Range<Int>
        var isText: Bool
    }

    private struct Invalid: Error {}

    private let bytes: [UInt8]
    private var place = 0
    private var tokens: [Token] = []

    private static let deepest = 500

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Throws: if the bytes are not a document, or it is nested too deeply.
    mutating func document() throws -> [Token] {
        try value(0)
        skipSpaces()
        guard place == bytes.count else { throw Invalid() }
        return tokens
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpaces() {
        while let byte = next, [32, 9, 10, 13].contains(byte) { place += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func value(_ depth: Int) throws {
        guard depth < Self.deepest else { throw Invalid() }
        skipSpaces()
        switch next {
        case UInt8(ascii: "{"): try members(depth, UInt8(ascii: "}"), hasKeys: true)
        case UInt8(ascii: "["): try members(depth, UInt8(ascii: "]"), hasKeys: false)
        case UInt8(ascii: "\""): tokens.append(Token(range: try string(), isText: true))
        case let byte? where byte == UInt8(ascii: "-") || MaskForm.isDigit(byte):
            tokens.append(Token(range: try number(), isText: false))
        default:
            guard
                let word = ["true", "false", "null"].first(where: { bytes[place...].starts(with: $0.utf8) })
            else {
                throw Invalid()
            }
            place += word.utf8.count
        }
    }

    private mutating func members(_ depth: Int, _ end: UInt8, hasKeys: Bool) throws {
        place += 1
        skipSpaces()
        if take(end) { return }
        repeat {
            if hasKeys {
                skipSpaces()
                guard next == UInt8(ascii: "\"") else { throw Invalid() }
                _ = try string()
                skipSpaces()
                guard take(UInt8(ascii: ":")) else { throw Invalid() }
            }
            try value(depth + 1)
            skipSpaces()
        } while take(UInt8(ascii: ","))
        guard take(end) else { throw Invalid() }
    }

    private mutating func string() throws -> Range<Int> {
        let start = place
        place += 1
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 32 else { throw Invalid() }
            guard byte == UInt8(ascii: "\\") else {
                place += 1
                continue
            }
            place += 1
            guard let mark = next else { throw Invalid() }
            if mark == UInt8(ascii: "u") {
                let digits = bytes[min(place + 1, bytes.count)...].prefix(4)
                guard digits.count == 4, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit })
                else {
                    throw Invalid()
                }
                place += 4
            } else if !"\"\\/bfnrt".utf8.contains(mark) {
                throw Invalid()
            }
            place += 1
        }
        guard take(UInt8(ascii: "\"")) else { throw Invalid() }
        return start..<place
    }

    private mutating func number() throws -> Range<Int> {
        let start = place
        _ = take(UInt8(ascii: "-"))
        let digits = place
        try skipDigits()
        guard bytes[digits] != 48 || place == digits + 1 else { throw Invalid() }
        if take(UInt8(ascii: ".")) { try skipDigits() }
        if let byte = next, byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            place += 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try skipDigits()
        }
        return start..<place
    }

    private mutating func skipDigits() throws {
        let start = place
        while let byte = next, (48...57).contains(byte) { place += 1 }
        guard place > start else { throw Invalid() }
    }
}
