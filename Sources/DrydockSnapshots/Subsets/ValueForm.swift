import DatabaseEngine
import SQLiteSchema

/// The form of a stored value, as far as migrations treat forms differently: a cast, a CHECK, `json_valid` or `datetime`
/// works on one and not on another.
enum ValueForm: UInt32, CaseIterable {
    case null
    case zero, positive, negative, large, huge
    case wholeReal, fraction, infinite
    case empty, wholeText, realText, dateText, jsonText, brokenJSON, padded, withNUL, ascii, unicode, invalid
    case emptyBlob, blob

    var bit: UInt32 { 1 << rawValue }

    init(_ value: Int64) {
        self =
            switch value {
            case 0: .zero
            // What a double and a 32-bit number do not hold.
            case _ where value.magnitude > 1 << 53: .huge
            case _ where value.magnitude > 1 << 31: .large
            default: value < 0 ? .negative : .positive
            }
    }

    init(_ value: Double) {
        self = !value.isFinite ? .infinite : value == value.rounded() ? .wholeReal : .fraction
    }

    /// - Parameters:
    ///   - bytes: Text in the database's encoding.
    ///   - checks: Whether invalid text is still looked for, which takes longest.
    init(_ bytes: UnsafeRawBufferPointer, _ encoding: TextEncoding, checks: Bool) {
        guard encoding == .utf8 else {
            let text = encoding.decode(bytes)
            let isValid = !checks || encoding.exactText(bytes) != nil
            var copy = text
            self = copy.withUTF8 { buffer in
                isValid ? ValueForm(UnsafeRawBufferPointer(buffer), .utf8, checks: false) : .invalid
            }
            return
        }
        guard let first = bytes.first, let last = bytes.last else {
            self = .empty
            return
        }
        var (hasNUL, isASCII) = (false, true)
        for byte in bytes {
            if byte == 0 { hasNUL = true }
            if byte > 127 { isASCII = false }
        }
        if hasNUL {
            self = .withNUL
        } else if !isASCII {
            self = checks && String(validating: bytes, as: UTF8.self) == nil ? .invalid : .unicode
        } else if first <= 32 || last <= 32 {
            self = .padded
        } else if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            let end = first == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
            self = last == end ? .jsonText : .brokenJSON
        } else {
            self = Self.number(bytes) ?? .ascii
        }
    }

    /// Returns the form of a text that has only digits and what numbers and dates have between them.
    private static func number(_ bytes: UnsafeRawBufferPointer) -> ValueForm? {
        guard bytes.count <= 32 else { return nil }
        var (digits, points, dashes, others) = (0, 0, 0, 0)
        for (place, byte) in bytes.enumerated() {
            switch byte {
            case 48...57: digits += 1
            case UInt8(ascii: "."): points += 1
            case UInt8(ascii: "-"), UInt8(ascii: "+"): if place > 0 { dashes += 1 }
            case UInt8(ascii: ":"), UInt8(ascii: "T"), UInt8(ascii: "Z"), UInt8(ascii: " "): others += 1
            default: return nil
            }
        }
        guard digits > 0 else { return nil }
        if dashes == 0, others == 0, points <= 1 { return points == 0 ? .wholeText : .realText }
        return dashes >= 2 && digits >= 8 || others >= 1 ? .dateText : nil
    }
}
