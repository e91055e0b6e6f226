import Foundation
import TestTools
import Testing

@testable import DrydockFindings
@testable import DrydockTestSupport

/// Checks that documents have the bytes that Foundation's encoder gives them.
@Suite struct JSONDocumentTests {
    private func expectSame(_ value: some Encodable, _ moment: Comment? = nil) throws {
        for isIndented in [true, false] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            if isIndented { encoder.outputFormatting.insert(.prettyPrinted) }
            let expected = String(decoding: try encoder.encode(value), as: UTF8.self)
            let text = String(decoding: try jsonDocument(value, isIndented: isIndented), as: UTF8.self)
            #expect(text == expected, moment)
        }
    }

    @Test func `random values`() throws {
        for seed in seeds(100, of: 20_000) {
            var random = SeededGenerator(seed: seed)
            try expectSame(Node(&random, depth: 0), "seed \(seed)")
        }
    }

    @Test func `values with many faces`() throws {
        try expectSame(["": [String]()])
        try expectSame([String: Int]())
        try expectSame([[Int]()])
        try expectSame("text")
        try expectSame(Optional<String>.none)
        try expectSame([1: "a", 10: "b", 2: "c"])
        try expectSame([Kind.one: 1, .two: 2].keys.sorted { $0.rawValue < $1.rawValue })
        try expectSame(Mixed())
        try expectSame([Merged(), Merged()])
        for number in [
            0.0, -0.0, 1, 1.5, 1e15, 1e16, 1e-7, 123456.789, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
        ] {
            try expectSame([number])
        }
        for text in [
            "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}", "\"\\/", "é\u{301}\u{2028}😀", "##[group]",
        ] {
            try expectSame([text: text])
        }
    }

    @Test func `keys that begin alike are in the order of their bytes`() throws {
        let keys = [
            "overflowing", "overflow", "overflowed", "overflow\u{0}", "overflo", "é", "eeeeeeeé", "eeeeeeee",
            "",
            "\u{0}",
        ]
        try expectSame(Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) }))
    }

    @Test func `a number that JSON does not have is refused`() {
        for number in [Double.nan, .infinity, -.infinity] {
            #expect(throws: EncodingError.self) { try jsonDocument([number]) }
        }
    }

    @Test func `containers that are filled later`() throws { try expectSame([Late(), Late()]) }
}

private enum Kind: String, Codable { case one, two }

private struct Mixed: Encodable {
    var z: Int8 = -128
    var b: UInt64 = .max
    var a: Int64 = .min
    var f: Float = 0.5
    var kind = Kind.two
    var none: Int?
    var list: [Double?] = [1, nil]
    var nested = ["b": ["y": 1, "x": 2], "a": [:]]
    var isTrue = true
}

/// Two values in one object, the second of which has a key of the first.
private struct Merged: Encodable {
    private struct One: Encodable { var a = 1, c = 2 }
    private struct Two: Encodable { var b = 3, a = 4 }

    func encode(to encoder: any Encoder) throws {
        try One().encode(to: encoder)
        try Two().encode(to: encoder)
    }
}

private struct Late: Encodable {
    enum Key: String, CodingKey { case z, a, m }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var late = container.nestedContainer(keyedBy: Key.self, forKey: .z)
        var list = container.nestedUnkeyedContainer(forKey: .a)
        try container.encode(1, forKey: .m)
        try list.encode("first")
        try late.encode([2], forKey: .m)
        var inner = list.nestedContainer(keyedBy: Key.self)
        try list.encode(3)
        try inner.encode("last", forKey: .a)
    }
}

private enum Node: Encodable {
    case null, bool(Bool), int(Int), double(Double), string(String), list([Node]), object([String: Node])

    init(_ random: inout SeededGenerator, depth: Int) {
        switch random.below(depth > 4 ? 5 : 8) {
        case 0: self = .null
        case 1: self = .bool(random.chance(50))
        case 2: self = .int(random.chance(10) ? .min : random.below(1_000_000) - 1000)
        case 3: self = .double(Double(random.below(1_000_000)) / pow(10, Double(random.below(30))))
        case 4: self = .string(Self.text(&random))
        case 5: self = .list((0..<random.below(5)).map { _ in Node(&random, depth: depth + 1) })
        default:
            let members = (0..<random.below(6)).map { _ in
                (Self.text(&random), Node(&random, depth: depth + 1))
            }
            self = .object(Dictionary(members) { $1 })
        }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        String(
            (0..<random.below(6)).map { _ in
                random.pick(["a", "B", "_", "\"", "\\", "/", "\n", "é", "😀", "1", "\u{1}"])
            }
            .joined())
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
