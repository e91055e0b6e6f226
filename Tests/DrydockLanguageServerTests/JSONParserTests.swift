import Testing

@testable import DrydockLanguageServer

@Suite struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    @Test func valuesAreRead() throws {
        #expect(
            try parse(#" {"a": [1, -2.5, 1e3, true, false, null], "b": {}} "#) == [
                "a": [1, .double(-2.5), .double(1000), true, false, nil], "b": .object([:]),
            ])
        #expect(try parse("12345678901234567890") == .double(12345678901234567890))
        #expect(try parse("1e3").int == 1000)
    }

    @Test func escapesAreRead() throws {
        #expect(try parse(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#) == "\"\\/\u{8}\u{C}\n\r\t\u{e9}\u{1F600}")
    }

    /// An editor sends half of a character while it is typed.
    @Test(arguments: [#""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\u0041""#])
    func halfACharacterIsNoFault(_ text: String) throws {
        #expect(try parse(text).string?.unicodeScalars.first == "\u{FFFD}")
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\"", "{\"a\":", "{\"a\":1,}", "{a:1}", "\"", "\"\\",
        "\"\\u12",
        "\"\\x\"", "\"\n\"", "01", "+1", ".5", "5.", "-", "tru", "nul", "1 2", "NaN", "Infinity",
        "\"\\u+123\"",
        "\u{FEFF}{}", "'a'",
    ])
    func nonsenseIsAFault(_ text: String) {
        #expect(throws: JSONParser.Fault.self) { try parse(text) }
    }

    @Test func bytesThatAreNotUTF8AreAFault() {
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse([0xFF]) }
    }

    @Test func levelsAreLimited() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONParser.Fault.self) { try parse(deep) }
        let allowed = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        _ = try parse(allowed)
    }

    @Test func writtenValuesReadBack() throws {
        let value: JSONValue = ["a\n\"\\\u{1}": ["é😀", 1, .double(0.5), true, nil]]
        #expect(try JSONParser.parse(value.bytes) == value)
    }
}
