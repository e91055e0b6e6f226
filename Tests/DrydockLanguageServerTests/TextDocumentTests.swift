import Testing

@testable import DrydockLanguageServer

@Suite struct TextDocumentTests {
    private func position(_ line: Int, _ character: Int) -> TextPosition {
        TextPosition(line: line, character: character)
    }

    @Test func positionsAreCountedInUTF16() {
        let document = TextDocument("a😀é\nb")
        #expect(document.offset(of: position(0, 1), .utf16) == 1)
        #expect(document.offset(of: position(0, 3), .utf16) == 5)
        #expect(document.offset(of: position(0, 4), .utf16) == 7)
        #expect(document.offset(of: position(1, 1), .utf16) == 9)
        #expect(document.position(of: 5, .utf16) == position(0, 3))
        #expect(document.position(of: 7, .utf16) == position(0, 4))
        #expect(document.position(of: 5, .utf8) == position(0, 5))
        #expect(document.offset(of: position(0, 5), .utf8) == 5)
    }

    @Test func aPositionInsideACharacterIsItsBeginning() {
        let document = TextDocument("a😀b")
        #expect(document.offset(of: position(0, 2), .utf16) == 1)
        #expect(document.offset(of: position(0, 3), .utf8) == 1)
        #expect(document.position(of: 3, .utf16) == position(0, 1))
    }

    @Test func positionsOutsideAreTheNearestEnd() {
        let document = TextDocument("ab\r\ncd")
        #expect(document.offset(of: position(0, 99), .utf16) == 2)
        #expect(document.offset(of: position(99, 0), .utf16) == 6)
        #expect(document.position(of: 99, .utf16) == position(1, 2))
        #expect(document.position(of: 3, .utf16) == position(0, 2))
        #expect(TextDocument("").offset(of: position(3, 3), .utf16) == 0)
    }

    @Test(arguments: ["a\nb\nc", "a\r\nb\r\nc", "a\rb\rc"])
    func everyLineEndingEndsALine(_ text: String) {
        let document = TextDocument(text)
        #expect(document.position(of: document.bytes.count, .utf16) == position(2, 1))
        #expect(document.bytes[document.offset(of: position(2, 0), .utf16)] == UInt8(ascii: "c"))
    }

    @Test func partsAreReplaced() {
        var document = TextDocument("one😀\ntwo\n")
        document.replace(TextRange(start: position(0, 3), end: position(1, 1)), with: "-", .utf16)
        #expect(document.text == "one-wo\n")
        document.replace(TextRange(start: position(1, 0), end: position(1, 0)), with: "x\r\ny", .utf16)
        #expect(document.text == "one-wo\nx\r\ny")
        #expect(document.position(of: document.bytes.count, .utf16) == position(2, 1))
        document.replace(nil, with: "", .utf16)
        #expect(document.text.isEmpty)
    }

    /// Random edits give what the same edits of an array of UTF-16 units give.
    @Test(arguments: 0..<40) func editsAreThoseOfAnArrayOfUnits(_ seed: UInt64) {
        var random = Lehmer(seed)
        let pieces = ["a", "é", "😀", "\n", "\r\n", "漢", "\u{FEFF}", "x y"]
        var document = TextDocument("")
        var model: [[UInt16]] = [[]]
        for _ in 0..<60 {
            let start = random.place(in: model), end = max(start, random.place(in: model))
            let text = (0..<random.next(4)).map { _ in pieces[random.next(pieces.count)] }.joined()
            document.replace(TextRange(start: start, end: end), with: text, .utf16)
            var whole: [UInt16] = model[..<start.line].flatMap { $0 + [10] }
            whole += model[start.line][..<start.character]
            whole += Array(text.replacing("\r\n", with: "\n").utf16)
            whole += model[end.line][end.character...]
            whole += model[(end.line + 1)...].flatMap { [10] + $0 }
            model = whole.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
            let normalized = document.text.replacing("\r\n", with: "\n")
            #expect(Array(normalized.utf16) == whole)
        }
    }

    @Test func placesOfFindingsAreCountedInCodePointsWithoutTheMark() {
        let document = TextDocument("\u{FEFF}😀 SELECT\n é x")
        #expect(document.offset(line: 1, column: 1) == 3)
        #expect(document.offset(line: 1, column: 3) == 8)
        #expect(document.offset(line: 1, column: 1, countsMark: true) == 0)
        #expect(document.offset(line: 2, column: 4) == 19)
        #expect(document.offset(line: 9, column: 1) == document.bytes.count)
        #expect(document.offset(line: 2, column: 99) == document.bytes.count)
    }

    private struct Lehmer {
        var state: UInt64
        init(_ seed: UInt64) { state = seed &* 2_862_933_555_777_941_757 &+ 3_037_000_493 }

        mutating func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(max(1, limit)))
        }

        /// Returns a position between two characters.
        mutating func place(in model: [[UInt16]]) -> TextPosition {
            let line = next(model.count)
            var character = next(model[line].count + 1)
            if character < model[line].count, UTF16.isTrailSurrogate(model[line][character]) {
                character -= 1
            }
            return TextPosition(line: line, character: character)
        }
    }
}
