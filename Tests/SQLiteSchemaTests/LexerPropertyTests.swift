import TestTools
import SQLiteSchema
import Testing

@Suite struct LexerPropertyTests {
    /// Pieces that are difficult for a tokenizer next to each other.
    private static let pieces = [
        "'", "\"", "`", "[", "]", "--", "/*", "*/", "/", "*", "-", ">", "<", "=", "!", "|", "x'", "X'0", "0x",
        "0", "1", ".",
        "e", "E+", "_", "$", "@", ":", "::", "#", "?", "a", "end", "create", " trigger ", "(", ")", ";", ",",
        "\n", "\r\n",
        " ", "\t", "\u{0B}", "\u{0C}", "\u{FEFF}", "é", "\\", "{", "\u{7F}", "case", "begin",
    ]

    private func text(_ random: inout SeededGenerator, without: Set<String> = []) -> [UInt8] {
        (0..<Int.random(in: 0...24, using: &random)).flatMap { _ in
            if !without.contains("bytes"), random.chance(10) {
                return [UInt8.random(in: 0...255, using: &random)]
            }
            let piece = random.pick(Self.pieces)
            return without.contains(piece) ? [] : Array(piece.utf8)
        }
    }

    @Test func `tokens cover any bytes, and statements are in order`() {
        for seed in seeds(2_000, of: 200_000) {
            var random = SeededGenerator(seed: seed)
            let source = SQLSource(name: "", bytes: text(&random))
            var end = 0
            for token in Lexer(source) {
                #expect(token.range.lowerBound == end && !token.range.isEmpty, "seed \(seed)")
                end = token.range.upperBound
            }
            #expect(end == source.bytes.count, "seed \(seed)")
            var last = 0
            for (number, statement) in source.statements().enumerated() {
                #expect(
                    statement.index == number + 1 && statement.range.lowerBound >= last
                        && !statement.tokens.isEmpty)
                #expect(statement.terminatorEnd >= statement.range.upperBound)
                last = statement.terminatorEnd
                _ = statement.action
            }
            _ = source.comments
        }
    }

    /// The arguments of a virtual table may be any tokens, so SQLite reads all of them before it says that
    /// the module does not exist, or it names the first token that it does not recognize.
    @Test func `the first illegal token is the one that SQLite names`() {
        let database = Database()
        for seed in seeds(1_500, of: 200_000) {
            var random = SeededGenerator(seed: seed)
            let middle = text(&random, without: ["(", ")", ";", "_", "bytes"])
            let bytes = Array("create virtual table t using none(".utf8) + middle + Array("\n)".utf8)
            let source = SQLSource(name: "", bytes: bytes)
            let illegal = source.tokens().first { if case .illegal = $0.kind { true } else { false } }
            guard !middle.contains(UInt8(ascii: ";")) else { continue }
            let message =
                #expect(throws: Database.Failure.self) { _ = try database.runFirst(of: bytes[...]) }?.message
                ?? []
            if let illegal {
                let expected = Array("unrecognized token: \"".utf8) + bytes[illegal.range] + Array("\"".utf8)
                #expect(message == expected, "seed \(seed)")
            } else {
                let isFine = ["no such module", "incomplete input"].contains { message.starts(with: $0.utf8) }
                #expect(isFine, "seed \(seed): \(String(decoding: message, as: UTF8.self))")
            }
        }
    }

    @Test func `deep nesting does not overflow`() {
        let depth = 100_000
        let sql =
            "insert into t select " + String(repeating: "(", count: depth) + "1"
            + String(repeating: ")", count: depth)
            + " from " + String(repeating: "(", count: depth) + "a"
        let statement = SQLSource(name: "", sql).statements()[0]
        guard case .insert(_, _, let copy) = statement.action else { return #expect(Bool(false)) }
        #expect(copy?.tables == ["a"])
        #expect(NormalizedSQL(sql: sql).items.count > depth)
    }

    @Test(.enabled(if: isSoak)) func `ten megabytes are split in less than a second`() {
        let row =
            "INSERT INTO \"message\" VALUES(17,'It''s a subject of usual length',NULL,x'00ff00ff',1.5e3,'2024-01-01');\n"
        let text = String(repeating: row, count: 10_000_000 / row.utf8.count)
        let time = ContinuousClock().measure {
            #expect(SQLSource(name: "", text).statements().count > 90_000)
        }
        if !_isDebugAssertConfiguration() { #expect(time < .seconds(1), "\(time)") }
        let reading = ContinuousClock().measure {
            #expect(SQLSource(name: "", text).statements().allSatisfy { $0.action != .other })
        }
        print("10 MB split in \(time), split and read in \(reading)")
    }

    private func _isDebugAssertConfiguration() -> Bool {
        var isDebug = false
        assert(
            {
                isDebug = true; return true
            }())
        return isDebug
    }
}
