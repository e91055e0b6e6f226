/// What a text is, as far as its mask must be the same.
enum MaskForm: Hashable, Sendable {
    case number, date, time, email, web, json, hexadecimal, plain
    /// Not UTF-8.
    case invalid

    /// The longest text that is looked at for anything but JSON.
    private static let longest = 320

    /// - Parameter text: Without spaces at the end.
    init(_ text: [UInt8]) {
        guard let first = text.first else {
            self = .plain
            return
        }
        if text.contains(where: { $0 > 127 }), String(validating: text, as: UTF8.self) == nil {
            self = .invalid
        } else if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), JSONMask.isJSON(text) {
            self = .json
        } else if text.count > Self.longest {
            self = Self.isWeb(text) ? .web : .plain
        } else if Self.isNumber(text) {
            self = .number
        } else if DateMask.isDate(text) {
            self = .date
        } else if Self.isTime(text) {
            self = .time
        } else if Self.isHexadecimal(text) {
            self = .hexadecimal
        } else if Self.isWeb(text) {
            self = .web
        } else {
            self = Self.at(text) == nil ? .plain : .email
        }
    }

    static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }

    /// Whether the text is a number as SQL writes it, without an exponent.
    private static func isNumber(_ text: [UInt8]) -> Bool {
        var rest = text[...]
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            rest = rest.dropFirst()
        }
        guard let first = rest.first, let last = rest.last, isDigit(first), isDigit(last) else {
            return false
        }
        var points = 0
        for byte in rest {
            if byte == UInt8(ascii: ".") { points += 1 } else if !isDigit(byte) { return false }
        }
        return points <= 1
    }

    /// Whether the text is a time of the day, such as `09:30` or `09:30:15.250`.
    private static func isTime(_ text: [UInt8]) -> Bool {
        guard text.count >= 5, text.count != 6, text.count != 7, text[2] == UInt8(ascii: ":") else {
            return false
        }
        for (place, byte) in text.enumerated() {
            let sign: UInt8? =
                place == 2 || place == 5 ? UInt8(ascii: ":") : place == 8 ? UInt8(ascii: ".") : nil
            if let sign { if byte != sign { return false } } else if !isDigit(byte) { return false }
        }
        guard text.count != 9 else { return false }
        let starts = text.count == 5 ? [0, 3] : [0, 3, 6]
        return zip(starts, [24, 60, 60]).allSatisfy {
            (Int(text[$0]) - 48) * 10 + Int(text[$0 + 1]) - 48 < $1
        }
    }

    /// Whether the text has only hexadecimal digits of both kinds, as a checksum or a UUID.
    private static func isHexadecimal(_ text: [UInt8]) -> Bool {
        var (digits, letters, dashes) = (0, 0, [Int]())
        for (place, byte) in text.enumerated() {
            switch byte {
            case 48...57: digits += 1
            case 65...70, 97...102: letters += 1
            case UInt8(ascii: "-"): dashes.append(place)
            default: return false
            }
        }
        let isUUID = text.count == 36 && dashes == [8, 13, 18, 23]
        return isUUID || digits + letters >= 8 && digits > 0 && letters > 0
    }

    static let schemes = ["https://", "http://"].map { Array($0.utf8) }

    private static func isWeb(_ text: [UInt8]) -> Bool {
        schemes.contains { text.starts(with: $0) && text.count > $0.count }
    }

    /// Returns where the sign of an e-mail address is; nil if the text is not one.
    static func at(_ text: [UInt8]) -> Int? {
        let signs = text.indices.filter { text[$0] == UInt8(ascii: "@") }
        guard signs.count == 1, let place = signs.first, place > 0 else { return nil }
        let domain = text[(place + 1)...]
        guard let point = domain.lastIndex(of: UInt8(ascii: ".")), point > place + 1, point < text.count - 1,
            !text.contains(where: { $0 <= 32 || ",;<>\"()".utf8.contains($0) })
        else { return nil }
        return place
    }
}
