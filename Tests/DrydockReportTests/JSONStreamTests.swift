import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockReport

/// Checks that a document that is written as it goes is the one that the encoder makes of the same values.
@Suite struct JSONStreamTests {
    private struct Line: Encodable {
        var list: [Int]
        var name: String
        var number: Int
        var part: Double
        var rest: [String: Int] = [:]
        var yes: Bool
    }

    /// Returns the document, and the largest piece of it in bytes.
    private func stream(_ body: (inout JSONStream) -> Void) -> (text: String, largest: Int) {
        let pieces = Pieces()
        var json = JSONStream { pieces.add($0) }
        json.object { body(&$0) }
        json.end()
        return (String(decoding: pieces.bytes, as: UTF8.self), pieces.largest)
    }

    private final class Pieces {
        var bytes: [UInt8] = []
        var largest = 0

        func add(_ piece: UnsafeRawBufferPointer) {
            bytes += piece
            largest = max(largest, piece.count)
        }
    }

    private func expectSame(_ lines: [Line], _ comment: Comment? = nil) {
        let (text, largest) = stream { json in
            json.array("lines") { json in
                for line in lines {
                    json.element {
                        $0.array("list") { json in line.list.forEach { json.element($0) } }
                        $0.member("name", line.name)
                        $0.member("number", line.number)
                        $0.member("part", line.part)
                        $0.object("rest") { _ in }
                        $0.member("yes", line.yes)
                    }
                }
            }
        }
        #expect(text == jsonText(["lines": lines]), comment)
        #expect(largest <= 64 << 10)
    }

    @Test func `texts that need an escape, and numbers with many digits`() {
        let texts = [
            "", "plain", "\"\\/", "\u{0}\u{1}\u{8}\t\n\r\u{1F}\u{7F}", "é\u{301}\u{202e}\u{2028}😀",
            "##[group]", "#",
            "##\u{301}[", "\u{301}##", "a#", "###", String(repeating: "x", count: 200_000),
            String(repeating: "é\"", count: 70_000),
        ]
        let numbers = [0, 9, 10, -1, -10, 1_000_000, .max, .min, 99_999, 100_000]
        let parts = [0, -0.0, 1, 0.1, 1.5, 1e15, 1e16, 1e-7, 123456.789, .greatestFiniteMagnitude]
        for (index, text) in texts.enumerated() {
            let line = Line(
                list: Array(numbers.prefix(index)), name: text, number: numbers[index % numbers.count],
                part: parts[index % parts.count], yes: index % 2 == 0)
            expectSame([line, line], "\(text.prefix(20))")
        }
        expectSame(
            numbers.map { Line(list: numbers, name: "", number: $0, part: Double($0), yes: true) })
        expectSame([])
    }

    @Test func `texts of every length before the end of a piece`() {
        // A line has some 200 bytes, so that the ends of pieces come at every place of it.
        for length in 0..<220 {
            let first = Line(
                list: [], name: String(repeating: "n", count: length), number: 1, part: 0.5, yes: true)
            let other = Line(list: [1, 2], name: "name of a table", number: -12, part: 1 / 3, yes: false)
            expectSame([first] + Array(repeating: other, count: 700), "\(length)")
        }
    }

    /// Any JSON value.
    private enum Value: Codable {
        case int(Int), double(Double), bool(Bool), string(String), list([Value]), object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Int.self) {
                self = .int(value)
            } else if let value = try? container.decode(Double.self) {
                self = .double(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([Value].self) {
                self = .list(value)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .int(let value): try value.encode(to: encoder)
            case .double(let value): try value.encode(to: encoder)
            case .bool(let value): try value.encode(to: encoder)
            case .string(let value): try value.encode(to: encoder)
            case .list(let value): try value.encode(to: encoder)
            case .object(let value): try value.encode(to: encoder)
            }
        }
    }

    @Test func `statistics have their members in order, each once`() async throws {
        let folder = NSTemporaryDirectory() + "json-stream-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var found: [DatabaseStatistics] = []
        for name in ["a\".sqlite", "é##.sqlite"] {
            let database = try await GRDBDriver().open(
                .live(path: "\(folder)/\(name)"), settings: ConnectionSettings())
            try await database.withConnection { connection in
                try connection.execute(
                    """
                    CREATE TABLE "##[x"(a PRIMARY KEY, b UNIQUE) WITHOUT ROWID; CREATE TABLE t(x); CREATE INDEX i ON t(x);
                    WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT \(name.count * 20))
                    INSERT INTO t SELECT zeroblob(n * n) FROM s;
                    """)
            }
            try await database.close()
            found.append(try await StatisticsReader(engine: GRDBDriver()).statistics(of: "\(folder)/\(name)"))
        }
        for old in [nil, found[1]] {
            let text = StatisticsJSON.render(found[0], since: old)
            let value = try JSONDecoder().decode(Value.self, from: Data(text.utf8))
            #expect(text == jsonText(value))
            #expect(text.contains("\"growth\"") == (old != nil))
        }
        let empty = StatisticsJSON.render(DatabaseStatistics(path: "x"))
        #expect(empty == jsonText(try JSONDecoder().decode(Value.self, from: Data(empty.utf8))))
    }
}
