import Drydock
import SQLiteSchema

/// Writes a JSON document of many small values piece by piece, with the bytes that ``jsonText(_:isIndented:)`` gives.
///
///     var json = JSONStream { Terminal.write($0) }
///     json.object {
///         $0.member("bytes", 4096)
///         $0.member("kind", "table")
///     }
///     json.end()
///
/// Members must be written in the order of their keys' bytes, and keys must need no escape.
struct JSONStream: ~Copyable {
    private let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.capacity)
    private let sink: (UnsafeRawBufferPointer) -> Void
    private var used = 0
    private var depth = 0
    /// Whether the object or array that is open has nothing in it yet.
    private var isEmpty = true

    private static let capacity = 64 << 10

    /// - Parameter sink: gets the bytes in order, some at a time, which are valid until it returns.
    init(to sink: @escaping (UnsafeRawBufferPointer) -> Void) { self.sink = sink }

    deinit { memory.deallocate() }

    /// Ends the document with a line break.
    mutating func end() {
        reserve(1)
        put("\n")
        flush()
    }

    // MARK: - Values

    mutating func object(_ body: (inout JSONStream) -> Void) { nest("{", "}", body) }

    mutating func object(_ key: StaticString, _ body: (inout JSONStream) -> Void) {
        begin(key)
        nest("{", "}", body)
    }

    mutating func array(_ key: StaticString, _ body: (inout JSONStream) -> Void) {
        begin(key)
        nest("[", "]", body)
    }

    /// Writes an element of an array.
    mutating func element(_ body: (inout JSONStream) -> Void) {
        beginElement()
        nest("{", "}", body)
    }

    mutating func element(_ number: Int) {
        beginElement()
        write(number)
    }

    mutating func member(_ key: StaticString, _ number: Int) {
        begin(key)
        write(number)
    }

    mutating func member(_ key: StaticString, _ isTrue: Bool) {
        begin(key)
        write(isTrue ? "true" : "false")
    }

    /// Writes a number, or null for one that JSON does not have.
    mutating func member(_ key: StaticString, _ number: Double) {
        begin(key)
        guard number.isFinite else { return write("null") }
        var text = number.description
        text.withUTF8 { text in
            let isWhole = text.suffix(2).elementsEqual(".0".utf8)
            write(UnsafeBufferPointer(rebasing: text.dropLast(isWhole ? 2 : 0)))
        }
    }

    mutating func member(_ key: StaticString, _ text: String) {
        begin(key)
        put("\"")
        var text = text
        let isPlain = text.withUTF8 { bytes in
            guard bytes.allSatisfy(Self.isPlain) else { return false }
            write(bytes)
            return true
        }
        if !isPlain {
            var escaped = Self.escaped(text)
            escaped.withUTF8 { write(UnsafeBufferPointer(rebasing: $0.dropFirst().dropLast())) }
        }
        reserve(1)
        put("\"")
    }

    /// Returns whether a byte is written as it is, whatever is beside it.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "#"): false
        default: byte >= 0x20 && byte < 0x7F
        }
    }

    /// Returns a text in quotes.
    private static func escaped(_ text: String) -> String {
        let bytes = (try? jsonDocument(text, isIndented: false)) ?? Array("\"\"".utf8)
        return VisibleText.json(String(decoding: bytes, as: UTF8.self))
    }

    // MARK: - Layout

    private mutating func nest(
        _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ body: (inout JSONStream) -> Void
    ) {
        reserve(1)
        put(opening)
        depth += 1
        isEmpty = true
        body(&self)
        depth -= 1
        reserve(2 * depth + 3)
        if isEmpty { put("\n") }
        breakLine()
        put(closing)
        isEmpty = false
    }

    /// Writes a key, and makes room for a number.
    private mutating func begin(_ key: StaticString) {
        let count = key.utf8CodeUnitCount
        reserve(count + 2 * depth + 32)
        separate()
        put("\"")
        (memory + used).update(from: key.utf8Start, count: count)
        used += count
        put("\"")
        put(" ")
        put(":")
        put(" ")
    }

    private mutating func beginElement() {
        reserve(2 * depth + 32)
        separate()
    }

    private mutating func separate() {
        if !isEmpty { put(",") }
        isEmpty = false
        breakLine()
    }

    private mutating func breakLine() {
        put("\n")
        for _ in 0..<depth {
            put(" ")
            put(" ")
        }
    }

    // MARK: - Bytes

    /// Writes a byte for which there is room.
    @inline(__always) private mutating func put(_ byte: Unicode.Scalar) {
        memory[used] = UInt8(ascii: byte)
        used += 1
    }

    private mutating func write(_ number: Int) {
        // A sign, and 19 digits.
        reserve(20)
        if number < 0 { put("-") }
        var (rest, digits) = (number.magnitude, 1)
        while rest > 9 { (rest, digits) = (rest / 10, digits + 1) }
        rest = number.magnitude
        for place in stride(from: used + digits - 1, through: used, by: -1) {
            memory[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        used += digits
    }

    private mutating func write(_ text: StaticString) {
        write(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeBufferPointer(rebasing: rest.prefix(Self.capacity))
            reserve(part.count)
            _ = UnsafeMutableBufferPointer(start: memory + used, count: part.count).update(from: part)
            used += part.count
            rest = rest.dropFirst(part.count)
        }
    }

    /// Makes room for bytes, no more than ``capacity``.
    @inline(__always) private mutating func reserve(_ count: Int) {
        if Self.capacity - used < count { flush() }
    }

    private mutating func flush() {
        sink(UnsafeRawBufferPointer(start: memory, count: used))
        used = 0
    }
}
