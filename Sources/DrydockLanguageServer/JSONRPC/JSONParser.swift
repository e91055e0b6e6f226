/// A reader of JSON that never traps: it takes any bytes, and as many levels as it allows.
struct JSONParser {
    struct Fault: Error, Equatable {
        var message: String
        var offset: Int
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var depth = 0

    private static let depthLimit = 128

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Throws: ``Fault``.
    static func parse(_ bytes: [UInt8]) throws(Fault) -> JSONValue {
        var parser = JSONParser(bytes)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.offset == bytes.count else { throw parser.fault("something follows the value") }
        return value
    }

    private func fault(_ message: String) -> Fault { Fault(message: message, offset: offset) }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(Fault) {
        guard skip(character) else { throw fault("'\(character)' is expected") }
    }

    private mutating func value() throws(Fault) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ text: String, _ value: JSONValue) throws(Fault) -> JSONValue {
        guard bytes[offset...].starts(with: text.utf8) else { throw fault("a value is expected") }
        offset += text.utf8.count
        return value
    }

    private mutating func open() throws(Fault) {
        offset += 1
        depth += 1
        guard depth <= Self.depthLimit else { throw fault("too many levels") }
        skipSpace()
    }

    private mutating func object() throws(Fault) -> JSONValue {
        try open()
        var members: [String: JSONValue] = [:]
        if !skip("}") {
            repeat {
                skipSpace()
                let key = try string()
                skipSpace()
                try expect(":")
                members[key] = try value()
                skipSpace()
            } while skip(",")
            try expect("}")
        }
        depth -= 1
        return .object(members)
    }

    private mutating func array() throws(Fault) -> JSONValue {
        try open()
        var items: [JSONValue] = []
        if !skip("]") {
            repeat {
                items.append(try value())
                skipSpace()
            } while skip(",")
            try expect("]")
        }
        depth -= 1
        return .array(items)
    }

    private mutating func number() throws(Fault) -> JSONValue {
        let start = offset
        while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "+-.eE".utf8.contains(byte) {
            offset += 1
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        // Swift's own forms are wider than JSON's: `+1`, `.5`, `5.`, `01`.
        guard text.wholeMatch(of: #/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/#) != nil else {
            throw fault("a value is expected")
        }
        if let number = Int(text) { return .int(number) }
        guard let number = Double(text) else { throw fault("a number is expected") }
        return .double(number)
    }

    // MARK: - Strings

    private mutating func string() throws(Fault) -> String {
        try expect("\"")
        var text: [UInt8] = []
        var start = offset
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                text += bytes[start..<offset]
                offset += 1
                guard let result = String(validating: text, as: UTF8.self) else {
                    throw fault("a string is not UTF-8")
                }
                return result
            case UInt8(ascii: "\\"):
                text += bytes[start..<offset]
                offset += 1
                try escape(into: &text)
                start = offset
            case ..<0x20: throw fault("a string holds a control character")
            default: offset += 1
            }
        }
        throw fault("a string has no end")
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    private mutating func escape(into text: inout [UInt8]) throws(Fault) {
        guard let byte = next else { throw fault("a string has no end") }
        offset += 1
        if let plain = Self.escapes[byte] { return text.append(plain) }
        guard byte == UInt8(ascii: "u"), let unit = unit() else { throw fault("an escape is not valid") }
        var scalar = Unicode.Scalar(UInt32(unit))
        if UTF16.isLeadSurrogate(unit), next == UInt8(ascii: "\\"), offset + 1 < bytes.count,
            bytes[offset + 1] == UInt8(ascii: "u")
        {
            let place = offset
            offset += 2
            if let trail = self.unit(), UTF16.isTrailSurrogate(trail) {
                let (high, low) = (UInt32(unit & 0x3FF), UInt32(trail & 0x3FF))
                scalar = Unicode.Scalar(0x10000 + (high << 10) + low)
            } else {
                offset = place
            }
        }
        // Half of a character cannot be kept.
        text += Array(String(scalar ?? "\u{FFFD}").utf8)
    }

    private mutating func unit() -> UInt16? {
        guard offset + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16),
            bytes[offset] != UInt8(ascii: "+")
        else { return nil }
        offset += 4
        return unit
    }
}
