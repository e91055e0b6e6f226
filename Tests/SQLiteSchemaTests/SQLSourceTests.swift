import Foundation
import TestTools
import SQLiteSchema
import Testing

@Suite struct SQLSourceTests {
    @Test func `lines end with LF or CRLF, and columns count characters`() {
        let source = SQLSource(name: "m.sql", "a\r\nbé😀c\n\nd\re")
        #expect((1...5).map { source.lineText($0) } == ["a", "bé😀c", "", "d\re", ""])
        #expect(source.lineCount == 4)
        #expect(source.location(at: 0) == SourceLocation(line: 1, column: 1, offset: 0))
        #expect(source.location(at: 2) == SourceLocation(line: 1, column: 3, offset: 2))
        #expect(source.location(at: 3) == SourceLocation(line: 2, column: 1, offset: 3))
        #expect(source.location(at: 10) == SourceLocation(line: 2, column: 4, offset: 10))
        #expect(source.location(at: 12) == SourceLocation(line: 3, column: 1, offset: 12))
        #expect(source.location(at: 15) == SourceLocation(line: 4, column: 3, offset: 15))
        #expect(source.location(at: 99).offset == 16)
        #expect(source.location(at: -1).offset == 0)
        #expect(source.lineText(0) == "")
    }

    @Test(arguments: seeds(8, of: 39)) func `a column counts the characters before it on a long line`(
        seed: Int
    ) {
        var generator = SeededGenerator(seed: Int(seed))
        let pieces: [[UInt8]] = [
            Array("a".utf8), Array("é".utf8), Array("😀".utf8), [0x80], [0xF0, 0x9F], [0xC0], [0xFF],
            Array("\n".utf8),
            Array(String(repeating: "x", count: 1000).utf8), [UInt8](repeating: 0xBF, count: 1500),
            Array("中".utf8),
        ]
        var bytes: [UInt8] = seed % 2 == 0 ? [0xEF, 0xBB, 0xBF] : []
        for _ in 0..<200 { bytes += pieces[Int(generator.next() % UInt64(pieces.count))] }
        let source = SQLSource(name: "", bytes: bytes)
        for _ in 0..<40 {
            let offset = Int(generator.next() % UInt64(bytes.count + 1))
            let head = bytes[..<offset]
            var line = head[(head.lastIndex(of: 10).map { $0 + 1 } ?? 0)...]
            if line.startIndex == 0, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
            if line.startIndex == 0, line.count < 3, seed % 2 == 0 { continue }
            let count = String(decoding: line, as: UTF8.self).unicodeScalars.count
            #expect(source.location(at: offset).column == count + 1)
        }
    }

    /// The seconds that this thread uses of the processor: what else the machine does makes no difference.
    private func processorTime(_ work: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        work()
        return now() - start
    }

    @Test func `many locations on one line take no longer than on many lines`() {
        let source = SQLSource(name: "", "select 'é'; " + String(repeating: "/* x */ ", count: 40_000))
        var comments: [SQLComment] = []
        let time = processorTime { comments = source.comments }
        #expect(comments.count == 40_000)
        #expect(comments.last?.lines.last?.location.column == 12 + 8 * 39_999 + 4)
        #expect(time < 20, "quadratic, it took more than a minute here")
        #expect(processorTime { for _ in 0..<5_000 { _ = source.lineText(1) } } < 5)
    }

    @Test func `a byte order mark takes no column`() {
        let source = SQLSource(name: "", "\u{FEFF}ab\nc")
        #expect(source.location(at: 3) == SourceLocation(line: 1, column: 1, offset: 3))
        #expect(source.location(at: 0) == SourceLocation(line: 1, column: 1, offset: 0))
        #expect(source.lineText(1) == "ab")
        #expect(source.statements().map(\.text) == ["ab\nc"])
    }

    @Test func `an empty text has one empty line`() {
        let source = SQLSource(name: "", "")
        #expect(
            source.lineCount == 1 && source.lineText(1) == "" && source.statements().isEmpty
                && source.comments.isEmpty)
        #expect(source.location(at: 0) == SourceLocation(line: 1, column: 1, offset: 0))
    }

    @Test func `comments are split into lines, with the location of each text`() {
        let source = SQLSource(
            name: "",
            "-- drydock: drops table a \r\nselect '-- no', \"/* no */\"; /* x */\n/*\n *  drydock: b\n   c\n */ --\n/* open"
        )
        let comments = source.comments
        #expect(comments.map(\.isBlock) == [false, true, true, false, true])
        #expect(
            comments.map { $0.lines.map(\.text) } == [
                ["drydock: drops table a"], ["x"], ["", "drydock: b", "c", ""], [""], ["open"],
            ])
        #expect(comments[0].lines[0].location == SourceLocation(line: 1, column: 4, offset: 3))
        #expect(comments[2].lines[1].location.line == 4)
        #expect(comments[2].lines[1].location.column == 5)
        for line in comments.flatMap(\.lines) where !line.text.isEmpty {
            let place = line.location
            #expect(
                source.lineText(place.line).unicodeScalars.dropFirst(place.column - 1).starts(
                    with: line.text.unicodeScalars))
        }
    }

    @Test(arguments: ["/**/", "/***/", "/*/", "/*a", "/* *", "--", "-- \n", "/*\n*/", "/*a*"])
    func `short comments do not trap`(sql: String) {
        #expect(SQLSource(name: "", sql).comments.count == 1)
    }
}
