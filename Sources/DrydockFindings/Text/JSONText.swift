/// The document that the frames of an encoding write to.
final class JSONText {
    // Every access is a call of an array's method, during which nothing else runs.
    @exclusivity(unchecked) var bytes: [UInt8] = []
    let isIndented: Bool

    init(isIndented: Bool) { self.isIndented = isIndented }

    /// Begins a line of a nested value.
    func breakLine(_ depth: Int) {
        guard isIndented else { return }
        bytes.append(UInt8(ascii: "\n"))
        for _ in 0..<2 * depth { bytes.append(UInt8(ascii: " ")) }
    }

    func put(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func write(_ number: some FixedWidthInteger) {
        if let small = Int64(exactly: number) {
            bytes.appendDecimal(small)
        } else {
            bytes += String(number).utf8
        }
    }

    /// - Throws: `EncodingError` for a number that JSON does not have.
    func write(_ number: Double) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: [], debugDescription: "JSON has no number \(number)"))
        }
        var text = number.description
        text.withUTF8 { text in
            let isWhole = text.suffix(2).elementsEqual(".0".utf8)
            bytes.append(contentsOf: text.dropLast(isWhole ? 2 : 0))
        }
    }

    func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { text in
            // Most texts need no escape.
            guard text.contains(where: Self.isEscaped) else {
                bytes.append(contentsOf: text)
                return
            }
            for byte in text {
                if Self.isEscaped(byte) { escape(byte) } else { bytes.append(byte) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): put("\\\"")
        case UInt8(ascii: "\\"): put("\\\\")
        case 0x08: put("\\b")
        case 0x09: put("\\t")
        case 0x0A: put("\\n")
        case 0x0C: put("\\f")
        case 0x0D: put("\\r")
        default:
            put(byte < 0x10 ? "\\u000" : "\\u001")
            bytes += String(byte & 15, radix: 16).utf8
        }
    }
}
