/// Masks text in UTF-8. Its length, its form, the place of its spaces and signs, and which letters are capitals stay, so
/// that texts that are equal, also without regard to case or to spaces at the end, stay so, and others do not become so.
struct TextMask: Sendable {
    let cipher: MaskCipher
    let numbers: NumberMask
    let dates: DateMask

    init(_ cipher: MaskCipher) {
        self.cipher = cipher
        (numbers, dates) = (NumberMask(cipher: cipher), DateMask(cipher: cipher))
    }

    func mask(_ text: [UInt8]) -> [UInt8] {
        let length = (text.lastIndex { $0 != 32 } ?? -1) + 1
        let core = Array(text[..<length])
        let form = MaskForm(core)
        var result = core
        // Again until the result has the same form, so that no two texts get the same.
        var tries = 0
        repeat {
            result = once(result, form)
            tries += 1
        } while tries < Self.tries && !cipher.isStopped() && MaskForm(result) != form
        return result + text[length...]
    }

    /// More than any text needs: what has letters and digits rarely becomes a date.
    private static let tries = 1000

    private func once(_ text: [UInt8], _ form: MaskForm) -> [UInt8] {
        switch form {
        case .number: return numbers.decimal(text)
        case .date: return dates.mask(text) ?? plain(text)
        case .time:
            let radices = text.indices.compactMap { Self.timeRadices[min($0, 9)] }
            var digits: [UInt32] = []
            for place in stride(from: 0, to: min(text.count, 8), by: 3) {
                digits.append(UInt32(text[place] - 48) * 10 + UInt32(text[place + 1] - 48))
            }
            digits += text.dropFirst(9).map { UInt32($0 - 48) }
            let masked = cipher.permuted(digits, radices, "time")
            var result = text
            for (number, value) in masked.enumerated() {
                if number < 3, number * 3 + 1 < text.count {
                    result[number * 3] = 48 + UInt8(value / 10)
                    result[number * 3 + 1] = 48 + UInt8(value % 10)
                } else if 9 + number - 3 < text.count {
                    result[9 + number - 3] = 48 + UInt8(value)
                }
            }
            return result
        case .email: return email(text)
        case .web:
            let scheme = MaskForm.schemes.first { text.starts(with: $0) } ?? []
            return scheme + plain(Array(text[scheme.count...]))
        case .json: return JSONMask(text: self).mask(text)
        case .hexadecimal: return letters(text, TextLetters.hexadecimal, "hexadecimal")
        case .plain: return plain(text)
        case .invalid: return letters(text, TextLetters.bytes, "bytes")
        }
    }

    private static let timeRadices: [UInt32?] = [24, nil, nil, 60, nil, nil, 60, nil, nil, 10]

    /// The end of the domain stays if it is as short as those of countries and `.com`.
    private func email(_ text: [UInt8]) -> [UInt8] {
        guard let at = MaskForm.at(text), let point = text.lastIndex(of: UInt8(ascii: ".")), point > at else {
            return plain(text)
        }
        let end = Array(text[(point + 1)...])
        let isTopLevel = end.count <= 4 && end.allSatisfy(MaskForm.isLetter)
        return mask(Array(text[..<at])) + [text[at]] + mask(Array(text[(at + 1)..<point])) + [text[point]]
            + (isTopLevel ? end : plain(end))
    }

    private func plain(_ text: [UInt8]) -> [UInt8] {
        text.contains { $0 > 127 }
            ? scalars(text) : letters(text, TextLetters.plain, "text")
    }

    /// Masks bytes that are letters or digits.
    private func letters(_ text: [UInt8], _ alphabet: TextLetters, _ use: String) -> [UInt8] {
        let places = text.indices.filter { alphabet.radix(text[$0]) > 1 }
        let digits = cipher.permuted(
            places.map { alphabet.digit(text[$0]) }, places.map { alphabet.radix(text[$0]) }, use)
        var result = text
        for (place, digit) in zip(places, digits) { result[place] = alphabet.byte(digit, like: text[place]) }
        return result
    }

    /// Masks characters of any script, each by one of the same script that takes as many bytes.
    private func scalars(_ text: [UInt8]) -> [UInt8] {
        let scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
        let blocks = scalars.map(ScalarBlock.init)
        let places = scalars.indices.filter { blocks[$0].count > 1 }
        let digits = cipher.permuted(
            places.map { scalars[$0].value - blocks[$0].start }, places.map { blocks[$0].count }, "text")
        var result = scalars
        for (place, digit) in zip(places, digits) {
            result[place] = Unicode.Scalar(blocks[place].start + digit) ?? scalars[place]
        }
        return result.flatMap { Array(String(Character($0)).utf8) }
    }
}

/// Which bytes of a text are replaced, and by which.
struct TextLetters: Sendable {
    private enum Kind { case plain, hexadecimal, bytes }

    private let kind: Kind

    static let plain = TextLetters(kind: .plain)
    static let hexadecimal = TextLetters(kind: .hexadecimal)
    /// Also what is not ASCII.
    static let bytes = TextLetters(kind: .bytes)

    func radix(_ byte: UInt8) -> UInt32 {
        if MaskForm.isDigit(byte) { return 10 }
        if MaskForm.isLetter(byte) { return kind == .hexadecimal ? 6 : 26 }
        return kind == .bytes && byte > 127 ? 128 : 1
    }

    private func start(_ byte: UInt8) -> UInt8 {
        MaskForm.isDigit(byte) ? 48 : byte > 127 ? 128 : byte >= 97 ? 97 : 65
    }

    func digit(_ byte: UInt8) -> UInt32 { UInt32(byte - start(byte)) }
    func byte(_ digit: UInt32, like other: UInt8) -> UInt8 { start(other) + UInt8(digit) }
}

/// The characters by which one is replaced: letters by letters, and others by their neighbours in Unicode.
private struct ScalarBlock {
    let start, count: UInt32

    /// Scripts with more characters than a neighbourhood: Cyrillic, Kana, the ideographs and Hangul.
    private static let scripts: [ClosedRange<UInt32>] = [
        0x400...0x4ff, 0x3040...0x30ff, 0x4e00...0x9fff, 0xac00...0xd7bf,
    ]
    /// Signs and spaces, which stay.
    private static let signs: [ClosedRange<UInt32>] = [0x80...0xbf, 0x2000...0x207f, 0x3000...0x303f]

    init(_ scalar: Unicode.Scalar) {
        let value = scalar.value
        if value < 128 {
            let byte = UInt8(value)
            count = TextLetters.plain.radix(byte)
            start = value - (count > 1 ? TextLetters.plain.digit(byte) : 0)
        } else if let script = Self.scripts.first(where: { $0.contains(value) }) {
            (start, count) = (script.lowerBound, script.upperBound - script.lowerBound + 1)
        } else if Self.signs.contains(where: { $0.contains(value) }) {
            (start, count) = (value, 1)
        } else {
            // The last six bits, which are in the last byte of UTF-8.
            (start, count) = (value & ~63, 64)
        }
    }
}
