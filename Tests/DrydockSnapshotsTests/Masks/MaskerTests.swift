import DatabaseEngine
import Foundation
import SQLiteSchema
import Synchronization
import Testing

@testable import DrydockProbes
@testable import DrydockSnapshots
@testable import DrydockTestSupport

/// Masks of single values.
@Suite struct MaskerTests {
    private let masker: Masker

    init() throws { masker = Masker(try SubsetCase.key()) }

    private func mask(_ text: String) throws -> String {
        guard case .text(let bytes) = try masker.mask(SQLValue(text)) else { return "not a text" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let texts = [
        "a", "Zoe", "Anna Schmidt", "anna.schmidt@example.com", "12345", "-12.50", "0", "007", "2024-02-29",
        "2024-02-29 09:30:00", "09:30", "23:59:59.999", "https://example.com/a?b=1",
        "{\"a\": [1, \"two\", null]}",
        "[1,2", "d41d8cd98f00b204e9800998ecf8427e", "123e4567-e89b-12d3-a456-426614174000", "naïve café",
        "日本語のテキスト",
        "Привет, ёж", "한국어", "+49 (30) 123-4567", "line\nbreak", "x\u{0}y", "🚢 dock", "1e5", "a@b",
        "DE89 3704 0044 0532 0130 00",
        String(repeating: "lorem ipsum dolor ", count: 400),
    ]

    @Test(arguments: texts) func `a mask keeps length, form and signs`(_ text: String) throws {
        let masked = try mask(text)
        #expect(
            masked.utf8.count == text.utf8.count && masked.unicodeScalars.count == text.unicodeScalars.count)
        #expect(MaskForm(Array(masked.utf8)) == MaskForm(Array(text.utf8)), "\(masked)")
        #expect(try mask(text) == masked)
        for (old, new) in zip(text.utf8, masked.utf8) where old < 48 && MaskForm(Array(text.utf8)) != .json {
            #expect(old == new, "\(masked)")
        }
        if text.utf8.count > 3, text != "0" { #expect(masked != text) }
    }

    @Test(arguments: texts) func `what SQLite takes for equal stays equal`(_ text: String) throws {
        #expect(try mask(text + "  ") == mask(text) + "  ")
        guard ![.json, .web].contains(MaskForm(Array(text.utf8))) else { return }
        let upper = String(decoding: text.utf8.map { (97...122).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
        guard MaskForm(Array(upper.utf8)) == MaskForm(Array(text.utf8)) else { return }
        #expect(try mask(upper).foldedASCII == mask(text).foldedASCII)
    }

    /// Only what may be a country or `com` stays of an e-mail address.
    @Test(
        arguments: [
            ("anna@example.com", ".com"), ("a@b.de", ".de"), ("P@ssw0rd.Summer2026", nil),
            ("x@y.TopSecret", nil),
            ("joe@x.12345678", nil), ("meet@Amsterdam.Keizersgracht-12", nil), ("a@b.x1", nil),
            ("anna@example.москва", nil),
        ] as [(String, String?)])
    func `the end of an e-mail address`(text: String, end: String?) throws {
        let (masked, own) = (try mask(text), String(text[try #require(text.lastIndex(of: "."))...]))
        #expect(masked.hasSuffix(own) == (end != nil), "\(masked)")
        #expect(MaskForm(Array(masked.utf8)) == .email)
    }

    /// With one key they stay, with another they are swapped: who does not know the key cannot tell.
    @Test func `two possibilities depend on the key`() throws {
        let values = [SQLValue("positive"), SQLValue("negative")]
        let outcomes = try (0..<40).map { number in
            let masks = try values.map {
                try Masker(SubsetCase.key("a key of sixteen bytes, \(number)")).mask($0, .among(values))
            }
            #expect(Set(masks) == Set(values))
            return masks == values
        }
        #expect(Set(outcomes).count == 2)
    }

    @Test func `the first and the last day stay, and all others keep their order`() throws {
        #expect(
            try mask("0001-01-01") == "0001-01-01" && mask("9999-12-31 23:59:59") == "9999-12-31 23:59:59")
        let days = ["0005-01-01", "1980-05-05", "2024-02-29", "9999-12-30"]
        let masked = try days.map(mask)
        #expect(masked == masked.sorted() && Set(masked).isDisjoint(with: days))
    }

    @Test func `a UUID without digits stays hexadecimal`() throws {
        let masked = try mask("deadbeef-dead-beef-dead-beefdeadbeef")
        #expect(masked.utf8.allSatisfy { (97...102).contains($0) || $0 == 45 }, "\(masked)")
    }

    /// They are masked block by block.
    @Test func `long values that differ in one place have masks that differ`() throws {
        let text = Array(repeating: UInt8(ascii: "a"), count: 10_000)
        var masks: Set<SQLValue> = [try masker.mask(.text(text)), try masker.mask(.blob(text))]
        for place in [0, 2047, 2048, 9999] {
            var other = text
            other[place] += 1
            masks.insert(try masker.mask(.text(other)))
            masks.insert(try masker.mask(.blob(other)))
        }
        #expect(masks.count == 10)
    }

    @Test func `a run that is stopped masks nothing more`() throws {
        let polls = Mutex(0)
        let stopped = Masker(try SubsetCase.key()) {
            polls.withLock {
                $0 += 1; return $0 > 3
            }
        }
        let long = Array(repeating: UInt8(ascii: "a"), count: 300_000)
        #expect(throws: (any Error).self) { try stopped.mask(.text(long)) }
        #expect(throws: (any Error).self) { try stopped.mask(.blob(long)) }
        #expect(polls.withLock { $0 } < 40)
    }

    /// Numbers between two kinds once sent the mask round in a circle that never came back.
    @Test func `every number gets a mask of its own`() throws {
        var random = SeededRandom(seed: 11)
        var masks: Set<Double> = []
        var numbers: Set<Double> = [51.257964863613815]
        for _ in 0..<5000 { numbers.insert(48 + Double(random.below(1 << 52)) / Double(1 << 52) * 5) }
        for number in numbers {
            guard case .real(let mask) = try masker.mask(.real(number)) else { continue }
            masks.insert(mask)
        }
        #expect(masks.count == numbers.count)
    }

    /// Different values get different masks, under each collation.
    @Test func `masks are unique`() throws {
        var texts: Set<String> = Set(Self.texts)
        for number in 0..<3000 {
            texts.insert("user\(number)@example.com")
            texts.insert("\(number)")
            texts.insert("0\(number)")
            texts.insert("Person Number \(number)")
            texts.insert(String(number, radix: 36))
            texts.insert(String(number &* 2_654_435_761, radix: 16))
            texts.insert("20\(10 + number % 90)-\(10 + number % 3)-\(10 + number % 19)")
            texts.insert("é\(number)")
        }
        let folded = Set(texts.map(\.foldedASCII))
        #expect(Set(try texts.map(mask)).count == texts.count)
        #expect(Set(try folded.map { try mask($0).foldedASCII }).count == folded.count)
    }

    @Test func `numbers keep sign and digits, and differ`() throws {
        var seen: Set<Int64> = []
        for number in Array<Int64>(-1200...1200) + [123_456_789, .max, .max - 1, -.max, .min, 1 << 40] {
            guard case .integer(let masked) = try masker.mask(.integer(number)) else { continue }
            #expect("\(masked)".count == "\(number)".count && masked.signum() == number.signum())
            #expect(seen.insert(masked).inserted)
            if abs(Double(number)) > 0, number != .min { #expect(masked != number) }
            #expect(try mask("\(number)") == "\(masked)" || number == .min)
        }
    }

    @Test func `real numbers keep their kind and differ`() throws {
        var seen: Set<Double> = []
        let numbers =
            (1...500).map { Double($0) / 4 } + [0.05, 1e300, 3.141592653589793, -2.5, 1e-10, 2e-308]
        for number in numbers {
            guard case .real(let masked) = try masker.mask(.real(number)) else { continue }
            #expect(seen.insert(masked).inserted && masked.sign == number.sign && masked.isFinite)
            #expect((masked == masked.rounded()) == (number == number.rounded()), "\(number) \(masked)")
        }
        #expect(try masker.mask(.real(12)) == .real(Double(mask("12")) ?? 0))
        #expect(try masker.mask(.real(.infinity)) == .real(.infinity) && masker.mask(.real(0)) == .real(0))
    }

    @Test func `numbers keep their order where that is asked for`() throws {
        var last = -Double.infinity
        for number in stride(from: -300.0, through: 300, by: 0.5) {
            let value: SQLValue = number == number.rounded() ? .integer(Int64(number)) : .real(number)
            let masked: Double
            switch try masker.mask(value, .ordered) {
            case .integer(let number): masked = Double(number)
            case .real(let number): masked = number
            default: masked = .nan
            }
            #expect(masked > last, "\(number)")
            last = masked
        }
        #expect(throws: Masker.TooLarge.self) { try masker.mask(.integer(.max), .ordered) }
    }

    @Test func `dates keep their order and the time between them`() throws {
        let dates = [
            "0001-01-02", "1999-12-31", "2000-02-29", "2000-03-01", "2024-12-31 23:59", "9999-12-31",
        ]
        let masked = try dates.dropFirst().map(mask)
        #expect(masked == masked.sorted())
        #expect(try mask("2000-03-01").prefix(10) != "2000-03-01")
        let known = try PlainDatabase()
        for date in masked {
            #expect(
                try known.firstRow("SELECT date('\(date.prefix(10))')") { $0.string(0) }
                    == String(date.prefix(10)))
        }
    }

    @Test func `the same text is masked alike everywhere`() throws {
        let document = try mask(#"{"name": "Anna Schmidt", "age": 4711, "x": [true, -1.5e3, "a\"b\u00e9"]}"#)
        #expect(document.contains("\"name\": \"\(try mask("Anna Schmidt"))\""), "\(document)")
        #expect(document.contains("\"age\": \(try mask("4711")),"))
        #expect(try JSONSerialization.jsonObject(with: Data(document.utf8)) is [String: Any])
        #expect(try mask("Anna@example.com").hasPrefix(mask("Anna") + "@"))
    }

    @Test func `bytes and invalid text keep their length`() throws {
        for count in [0, 1, 2, 3, 64, 5000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            guard case .blob(let masked) = try masker.mask(.blob(bytes)) else { continue }
            #expect(masked.count == count && (masked != bytes || count == 0))
        }
        let invalid: [UInt8] = [65, 66, 0xff, 0xfe, 67]
        guard case .text(let masked) = try masker.mask(.text(invalid)) else { return }
        #expect(masked.count == 5 && masked != invalid && String(validating: masked, as: UTF8.self) == nil)
        #expect(try masker.mask(.null) == .null)
    }

    @Test func `another key gives other masks`() throws {
        let other = Masker(try SubsetCase.key("another key of sixteen bytes"))
        for text in Self.texts where text.utf8.count > 6 {
            #expect(try other.mask(SQLValue(text)) != masker.mask(SQLValue(text)), "\(text)")
        }
        #expect(throws: (any Error).self) { try SubsetCase.key("short") }
    }

    @Test func `values of a list and of a range stay in them`() throws {
        let list: [SQLValue] = ["new", "open", "done"]
        let masked = try list.map { try masker.mask($0, .among(list)) }
        #expect(Set(masked) == Set(list) && !zip(list, masked).contains { $0 == $1 })
        let range = try (Int64(-5)...60).map { try masker.mask(.integer($0), .within(-5, 60)) }
        #expect(Set(range) == Set((Int64(-5)...60).map { SQLValue.integer($0) }))
    }
}
