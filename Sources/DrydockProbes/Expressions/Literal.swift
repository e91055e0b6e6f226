import DatabaseEngine
import SQLiteSchema

/// Literals of SQL as values.
enum Literal {
    /// Returns the value of a literal as `NormalizedSQL` has it; nil for a parameter.
    static func value(_ text: String) -> SQLValue? {
        guard let first = text.utf8.first else { return nil }
        switch first {
        case UInt8(ascii: "'"): return SQLValue(text.unenclosed(from: first))
        case UInt8(ascii: "x"), UInt8(ascii: "X"): return blob(text)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): return number(text)
        default: return nil
        }
    }

    static func number(_ text: String) -> SQLValue? {
        let digits = text.filter { $0 != "_" }
        if digits.lowercased().hasPrefix("0x") {
            return UInt64(digits.dropFirst(2), radix: 16).map { .integer(Int64(bitPattern: $0)) }
        }
        if let value = Int64(digits) { return .integer(value) }
        return Double(digits.hasSuffix(".") ? digits + "0" : digits).map { .real($0) }
    }

    private static func blob(_ text: String) -> SQLValue? {
        let digits = Array(text.utf8.dropFirst(2).dropLast())
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        return .blob(bytes)
    }
}

extension DefaultValue {
    /// The value of a default that is a literal.
    var constant: SQLValue? {
        switch self {
        case .null: .null
        case .integer(let value): .integer(value)
        case .real(let text): Double(text).map { .real($0) }
        case .text(let text): SQLValue(text)
        case .blob(let bytes): .blob(bytes)
        case .boolean(let value): .integer(value ? 1 : 0)
        case .currentTime, .currentDate, .currentTimestamp, .expression: nil
        }
    }
}

extension SQLValue {
    var isNull: Bool { if case .null = self { true } else { false } }

    /// The text of a text value.
    var text: String? {
        if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    /// The number of an integer or a real value.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }

    /// Returns the value as a column with an affinity stores it, as far as literals need it
    /// (https://www.sqlite.org/datatype3.html#type_affinity).
    func stored(as affinity: Affinity) -> SQLValue {
        switch (affinity, self) {
        case (.text, .integer(let value)): SQLValue("\(value)")
        case (.real, .integer(let value)): .real(Double(value))
        case (.integer, .text), (.numeric, .text):
            text.flatMap { Int64($0) }.map { .integer($0) } ?? text.flatMap { Double($0) }.map { .real($0) }
                ?? self
        case (.real, .text): text.flatMap { Double($0) }.map { .real($0) } ?? self
        case (.integer, .real(let value)), (.numeric, .real(let value)):
            Int64(exactly: value).map { .integer($0) } ?? self
        default: self
        }
    }
}
