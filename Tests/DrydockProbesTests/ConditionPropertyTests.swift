import DatabaseEngine
import Foundation
import TestTools
import Testing

@testable import DrydockTestSupport

/// Random conditions on random tables: where SQLite finds a row that meets one among all combinations of a few values,
/// a generated row meets it, and likewise for rows that do not.
@Suite struct ConditionPropertyTests {
    @Test(arguments: seeds(12, of: 28, soak: 1_000))
    func `generated rows meet each condition, and others do not`(seed: Int) async throws {
        var random = SeededGenerator(seed: seed)
        var maker = ConditionMaker(random: random)
        let definition = maker.definition()
        let conditions = (0..<3).map { _ in maker.condition(2) }
        random = maker.random
        var rowCase = RowCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, \(definition));"
                + "CREATE TABLE domain(id INTEGER PRIMARY KEY, \(definition)); \(maker.domain)")
        rowCase.later = conditions.map { "DELETE FROM t WHERE \($0)" }
        rowCase.tables = ["t"]
        rowCase.seed = UInt64(seed)
        let questions = conditions.flatMap { ["\($0)", "NOT coalesce((\($0)), 0)"] }
        let outcome = try await rowCase.run(
            edges: true,
            asking: questions.flatMap { test in
                ["domain", "t"].map { "SELECT EXISTS (SELECT 1 FROM \($0) WHERE \(test))" }
            })
        let context = "seed \(seed)\n\(definition)\n\(conditions)\n\(outcome.dump["t"] ?? [])"
        #expect(outcome.faults.filter { !$0.contains("non-") }.isEmpty, "\(outcome.faults)\n\(context)")
        for (place, question) in questions.enumerated() where outcome.answers[place * 2] == ["1"] {
            #expect(outcome.answers[place * 2 + 1] == ["1"], "no row: \(question)\n\(context)")
        }
    }
}

/// Makes tables and conditions of the forms that migrations have.
private struct ConditionMaker {
    var random: SeededGenerator
    private var isNotNull: [Bool] = []

    init(random: SeededGenerator) { self.random = random }

    private static let columns = ["n", "m", "r", "a", "b"]
    private static let types = ["INTEGER", "INTEGER", "REAL", "TEXT", "TEXT"]

    mutating func definition() -> String {
        isNotNull = Self.columns.map { _ in random.chance(60) }
        var parts = Self.columns.indices.map {
            "\(Self.columns[$0]) \(Self.types[$0])\(isNotNull[$0] ? " NOT NULL" : "")"
        }
        if random.chance(40) { parts.append("CHECK (\(condition(1)))") }
        return parts.joined(separator: ", ")
    }

    /// All combinations of a few values that the constraints allow.
    var domain: String {
        let numbers = ["-3", "0", "1", "5", "12", "101"]
        let texts = ["''", "'a'", "'abc'", "'Tmp.1'", "'2020-01-02'", "'x y'"]
        let pools = [numbers, ["0", "5", "7"], ["0.5", "2.0", "2.25"], texts, ["'abc'", "'a'", "'7'"]]
        let parts = pools.indices.map { place in
            "c\(place)(v) AS (VALUES "
                + (pools[place] + (isNotNull[place] ? [] : ["NULL"])).map { "(\($0))" }.joined(
                    separator: ", ") + ")"
        }
        let from = pools.indices.map { "c\($0)" }.joined(separator: ", ")
        let list = pools.indices.map { "c\($0).v" }.joined(separator: ", ")
        return
            "INSERT OR IGNORE INTO domain(n, m, r, a, b) WITH \(parts.joined(separator: ", ")) SELECT \(list) FROM \(from);"
    }

    mutating func condition(_ depth: Int) -> String {
        guard depth > 0, random.chance(60) else { return atom() }
        switch random.below(5) {
        case 0, 1: return "(\(condition(depth - 1)) AND \(condition(depth - 1)))"
        case 2: return "(\(condition(depth - 1)) OR \(condition(depth - 1)))"
        case 3: return "NOT (\(condition(depth - 1)))"
        default:
            return
                "CASE WHEN \(condition(depth - 1)) THEN \(condition(depth - 1)) ELSE \(condition(depth - 1)) END"
        }
    }

    private mutating func pick<T>(_ list: [T]) -> T { list[random.below(list.count)] }

    private mutating func atom() -> String {
        let number = pick(["-3", "0", "1", "5", "12", "100"])
        let text = pick(["'a'", "'abc'", "''", "'Tmp.1'", "'2020-01-02'", "'x'"])
        let sign = pick(["=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT"])
        let (whole, word) = (pick(["n", "m"]), pick(["a", "b"]))
        let atoms = [
            "\(whole) \(sign) \(number)", "n \(sign) m", "\(word) \(sign) \(text)", "a \(sign) b",
            "r \(sign) \(number)",
            "\(whole) % \(pick(["2", "5", "7"])) = \(pick(["0", "1"]))", "n + m \(sign) \(number)",
            "n * 2 - m \(sign) \(number)",
            "\(whole) BETWEEN \(number) AND 12", "\(whole) NOT IN (0, 1, \(number))",
            "\(whole) IN (\(number), 5)",
            "\(word) LIKE '\(pick(["%b%", "a_c", "T%", "%", "%.1"]))'",
            "\(word) NOT LIKE '%\(pick(["a", "b", "1"]))%'",
            "\(word) GLOB '\(pick(["*[0-9]*", "[a-c]*", "T*", "*.?"]))'",
            "length(\(word)) \(sign) \(pick(["0", "1", "3", "10"]))",
            "substr(\(word), 1, 2) = '\(pick(["ab", "Tm", "20"]))'",
            "lower(\(word)) = '\(pick(["abc", "tmp.1", "a"]))'",
            "trim(\(word)) = \(text)", "instr(\(word), '\(pick(["b", ".", " "]))') > 0",
            "coalesce(\(word), '') = ''",
            "\(word) IS NULL", "\(whole) IS NOT NULL", "a || b = '\(pick(["aabc", "abcabc", "a7"]))'",
            "a || '-' || n = 'a-5'",
            "round(r) = \(pick(["2.0", "1.0"]))", "abs(n) > \(pick(["2", "50"]))",
            "max(n, m) = \(pick(["5", "12", "101"]))",
            "strftime('%Y', a) = '2020'", "date(a) IS NOT NULL", "a \(pick(["=", "<>"])) lower(a)",
            "a IS NOT trim(a)",
            "CAST(b AS INTEGER) \(pick(["=", ">", "<>"])) 7", "typeof(\(whole)) = 'integer'",
            "n & 4 = \(pick(["4", "0"]))",
            "(a, b) = ('a', 'abc')", "nullif(n, 5) IS NULL", "iif(n > 4, a, b) = 'abc'", "\(whole)",
            "NOT \(whole)",
        ]
        return pick(atoms)
    }
}
