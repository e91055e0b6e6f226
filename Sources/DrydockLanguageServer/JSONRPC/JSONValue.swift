/// A value of JSON (https://www.rfc-editor.org/rfc/rfc8259).
///
/// Foundation's parser refuses a lone surrogate, which an editor may send while half of a character is typed.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue {
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var array: [JSONValue]? { if case .array(let items) = self { items } else { nil } }

    /// The number, if it is whole.
    package var int: Int? {
        switch self {
        case .int(let number): number
        case .double(let number): Int(exactly: number)
        default: nil
        }
    }

    package var isNull: Bool { self == .null }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral text: String) { self = .string(text) }
    package init(integerLiteral number: Int) { self = .int(number) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral items: JSONValue...) { self = .array(items) }
    package init(nilLiteral: ()) { self = .null }

    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members) { _, last in last })
    }
}

extension JSONValue {
    /// The value as JSON on one line, with its keys in order.
    package var bytes: [UInt8] {
        var result: [UInt8] = []
        write(to: &result)
        return result
    }

    private func write(to result: inout [UInt8]) {
        switch self {
        case .null: result += Array("null".utf8)
        case .bool(let value): result += Array((value ? "true" : "false").utf8)
        case .int(let number): result += Array(String(number).utf8)
        // JSON has no infinity.
        case .double(let number): result += Array((number.isFinite ? String(number) : "null").utf8)
        case .string(let text): Self.write(text, to: &result)
        case .array(let items):
            result.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { result.append(UInt8(ascii: ",")) }
                item.write(to: &result)
            }
            result.append(UInt8(ascii: "]"))
        case .object(let members):
            result.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { result.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &result)
                result.append(UInt8(ascii: ":"))
                member.value.write(to: &result)
            }
            result.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to result: inout [UInt8]) {
        result.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): result += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case ..<0x20:
                let digits = String(byte, radix: 16)
                result += Array(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
            default: result.append(byte)
            }
        }
        result.append(UInt8(ascii: "\""))
    }
}
