import SQLiteSchema
import DrydockFindings
import DatabaseEngine

extension SQLValue {
    /// Appends an SQL expression that gives the value exactly, in the usual notation where possible.
    ///
    /// Text is quoted unless a shell or SQLite itself would change it: NUL ends a statement, the sqlite3 shell drops a
    /// CR at the end of a line, and a byte order mark is dropped in UTF-16.
    package func writeLiteral(_ encoding: TextEncoding, to out: inout [UInt8]) {
        switch self {
        case .integer(let value) where value != .min: out.appendDecimal(value)
        case .real(let value) where value.isFinite: Self.writeReal(value, to: &out)
        case .blob(let bytes):
            out += [UInt8(ascii: "x"), UInt8(ascii: "'")]
            bytes.appendHex(to: &out)
            out.append(UInt8(ascii: "'"))
        case .text(let bytes):
            if encoding == .utf8, bytes.allSatisfy(Self.isPlain) {
                Self.quote(bytes, to: &out)
            } else if let text = encoding.exactText(bytes), text.unicodeScalars.allSatisfy(Self.isPlain) {
                Self.quote(Array(text.utf8), to: &out)
            } else {
                out += literal.utf8
            }
        default: out += literal.utf8
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte >= 32 && byte < 127 || byte == 10 || byte == 9 }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 9, 10, 32..<127, 0xA0..<0xFE00, 0x1_0000..<0x1_F000: true
        default: false
        }
    }

    private static func quote(_ bytes: [UInt8], to out: inout [UInt8]) {
        out.append(UInt8(ascii: "'"))
        if bytes.contains(UInt8(ascii: "'")) {
            for byte in bytes {
                out.append(byte)
                if byte == UInt8(ascii: "'") { out.append(byte) }
            }
        } else {
            out += bytes
        }
        out.append(UInt8(ascii: "'"))
    }

    // MARK: - Reals

    /// Appends a finite real as digits if every SQLite version reads them as this value, otherwise as an integer
    /// multiplied or divided by powers of two, which is never rounded.
    ///
    /// SQLite reads up to 19 digits as an integer and scales it by a power of ten, before 3.43 in `long double`
    /// (`sqlite3AtoF` of util.c): that rounds twice and may miss the value.
    private static func writeReal(_ value: Double, to out: inout [UInt8]) {
        if value == 0 {
            out += (value.sign == .minus ? "-0.0" : "0.0").utf8
            return
        }
        if value.magnitude < 0x1p53, value == value.rounded() {
            out.appendDecimal(Int64(value))
            out += ".0".utf8
            return
        }
        let digits = value.description.utf8
        if areSafe(digits) {
            out += digits
            return
        }
        // value = mantissa * 2^exponent, the mantissa an odd integer below 2^53.
        let significand = value.magnitude.significand
        var exponent = Int(value.exponent) - 52
        var mantissa = Int64(significand * 0x1p52)
        while mantissa.isMultiple(of: 2) {
            mantissa /= 2
            exponent += 1
        }
        out += "(\(value < 0 ? "-" : "")\(mantissa).0".utf8
        var rest = exponent.magnitude
        while rest > 0 {
            let step = min(rest, 62)
            out += "\(exponent < 0 ? " / " : " * ")\(Int64(1) << Int64(step)).0".utf8
            rest -= step
        }
        out.append(UInt8(ascii: ")"))
    }

    /// Whether it is safe to read the shortest digits of a value with 64 and then 53 bits of precision.
    private static func areSafe(_ digits: String.UTF8View) -> Bool {
        var (integer, places, divisor, isFraction) = (UInt64(0), 0, UInt128(1), false)
        for byte in digits {
            switch byte {
            case UInt8(ascii: "-"): continue
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                integer = integer * 10 + UInt64(byte - UInt8(ascii: "0"))
                guard integer < 1 << 53 else { return false }
                if isFraction { (places, divisor) = (places + 1, divisor * 10) }
            // An exponent.
            default: return false
            }
        }
        guard integer > 0, (1...15).contains(places) else { return false }
        // The quotient's first 64 bits; the lower 11 decide how it is rounded to 53.
        let quotient = (UInt128(integer) << 64) / divisor
        let excess = 64 - quotient.leadingZeroBitCount
        let first = excess >= 0 ? quotient >> excess : (UInt128(integer) << (64 - excess)) / divisor
        let low = first & 0x7FF
        return low < 0x3FE || low > 0x402
    }

    // MARK: - JSON

    /// Appends the value as JSON from which it can be restored exactly.
    package func writeJSON(_ encoding: TextEncoding, to out: inout [UInt8]) {
        switch self {
        case .null: out += "null".utf8
        case .integer(let value): out.appendDecimal(value)
        case .real(let value) where value.isInfinite:
            out += (value < 0 ? "{\"real\":\"-Infinity\"}" : "{\"real\":\"Infinity\"}").utf8
        case .real(let value): out += "\(value)".utf8
        case .text(let bytes):
            if let text = encoding.exactText(bytes) {
                text.writeJSON(to: &out)
            } else {
                out += "{\"class\":\"text\",\"hex\":\"".utf8
                bytes.appendHex(to: &out)
                out += "\"}".utf8
            }
        case .blob(let bytes):
            out += "{\"hex\":\"".utf8
            bytes.appendHex(to: &out)
            out += "\"}".utf8
        }
    }
}

extension String {
    /// Appends the text as a JSON string.
    package func writeJSON(to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        if utf8.allSatisfy(Self.isPlain) {
            out += utf8
            out.append(UInt8(ascii: "\""))
            return
        }
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                out.append(UInt8(ascii: "\\"))
                out.append(byte)
            case 10: out += "\\n".utf8
            case 0..<32, 127:
                out += "\\u00".utf8
                [byte].appendHex(to: &out)
            default: out.append(byte)
            }
        }
        out.append(UInt8(ascii: "\""))
    }
}

extension String {
    /// Whether a byte is written into a JSON string as it is.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 32 && byte != 127 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
