import TestTools

@testable import DrydockTestSupport

/// Random damage to a text.
struct Mutation {
    var random: SeededGenerator

    private static let odd: [[UInt8]] = [
        [0], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xEF, 0xBB, 0xBF], Array("\r\n".utf8),
        Array("\u{2028}".utf8), Array("'".utf8),
        Array("\"".utf8), Array("/*".utf8), Array("*/".utf8), Array("--".utf8), Array("[".utf8),
        Array("{".utf8), Array("&a ".utf8),
        Array("*a ".utf8), Array("!!binary ".utf8), Array("99999999999999999999".utf8), Array("-1".utf8),
        Array("\t".utf8), Array(";".utf8),
        Array(": ".utf8), Array("- ".utf8), Array("~".utf8), Array("1e999".utf8), Array("(".utf8),
        Array(")".utf8), Array("%".utf8),
    ]

    mutating func bytes(_ text: String, times: Int? = nil) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<(times ?? 1 + random.below(4)) {
            let place = random.below(bytes.count + 1)
            switch random.below(6) {
            case 0: if place < bytes.count { bytes[place] = UInt8(random.below(256)) }
            case 1: bytes.insert(contentsOf: random.pick(Self.odd), at: place)
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + random.below(20)))
            case 3:
                let end = min(bytes.count, place + random.below(60))
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: random.below(bytes.count + 1))
            case 4: bytes.insert(contentsOf: random.pick(Self.odd), at: place)
            default: if random.chance(30) { bytes.removeSubrange(place...) }
            }
        }
        return bytes
    }

    /// Replaces one value by another, or damages bytes.
    mutating func yaml(_ text: String) -> [UInt8] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        switch random.below(8) {
        case 0: return Array(String(repeating: "[", count: 1 + random.below(20_000)).utf8)
        case 1: return Array(("a: &a [x]\n" + (1..<30).map { "b\($0): &b\($0) [*a, *a]\n" }.joined()).utf8)
        case 2:
            // Each alias contains the previous one twice.
            return Array(
                ("- &a0 [x]\n" + (1..<40).map { "- &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n" }.joined()).utf8)
        case 3:
            return Array(String(repeating: "a:\n ", count: 3).utf8)
                + Array(String(repeating: "{a: ", count: random.below(5000)).utf8)
        case 4...5:
            let values = [
                "", "[]", "{}", "null", "-1", "1e400", "99999999999999999999999", "{a: {b: {c: d}}}",
                "[1, [2, [3]]]", "'\\0'", "!!binary aGk=", "~",
                "on", "(?<version>(a+)+$)", "${version+99999999999999999999}", "../../../../etc/passwd",
                "/dev/zero", "/dev/null", "\"\\u0000\"", "*x",
            ]
            for _ in 0...random.below(3) {
                let line = random.below(lines.count)
                guard let colon = lines[line].firstIndex(of: ":") else { continue }
                lines[line] = lines[line][...colon] + " " + random.pick(values)
            }
            return Array(lines.joined(separator: "\n").utf8)
        default: return bytes(text)
        }
    }

    /// Removes, doubles, swaps or damages lines.
    mutating func lines(_ text: String) -> [UInt8] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for _ in 0..<random.below(3) where !lines.isEmpty {
            let (a, b) = (random.below(lines.count), random.below(lines.count))
            switch random.below(5) {
            case 0: lines.remove(at: a)
            case 1: lines.insert(lines[b], at: a)
            case 2: lines.swapAt(a, b)
            case 3: lines[a] += " " + String(repeating: "x", count: random.below(5000))
            default: lines.insert("<<<<<<< HEAD", at: a)
            }
        }
        return bytes(lines.joined(separator: "\n"), times: random.below(4))
    }
}
