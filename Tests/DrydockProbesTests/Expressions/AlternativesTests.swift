import DatabaseEngine
import SQLiteSchema
import Testing

@testable import DrydockProbes
@testable import DrydockTestSupport

/// How CHECK constraints are read.
@Suite struct AlternativesTests {
    private func ways(_ sql: String) -> [[Condition]] {
        Alternatives(ExpressionReader.expression(SQLFragment(sql: sql))).all
    }

    @Test func `enumerations`() {
        #expect(ways("a IN ('x', 'y')") == [[.isIn("a", ["x", "y"])]])
        #expect(ways("a = 'x' OR a = 'y'") == [[.isIn("a", ["x"])], [.isIn("a", ["y"])]])
        #expect(ways("a IS NULL OR a IN (1, -2)") == [[.isIn("a", [1, -2])]])
        #expect(ways("NOT (a <> 'x')") == [[.isIn("a", ["x"])]])
        #expect(ways("lower(a) IN ('x')") == [[.isIn("a", ["x"])]])
    }

    @Test func `ranges and lengths`() {
        #expect(
            ways("a BETWEEN 1 AND 9") == [[.bound("a", .greaterOrEqual, 1), .bound("a", .lessOrEqual, 9)]])
        #expect(ways("0 < a") == [[.bound("a", .greater, 0)]])
        #expect(ways("NOT a < 0 AND a < 5") == [[.bound("a", .greaterOrEqual, 0), .bound("a", .less, 5)]])
        #expect(ways("length(a) = 36") == [[.length("a", 36...36)]])
        #expect(ways("length(trim(a)) > 0") == [[.length("a", 1...Int.max)]])
    }

    @Test func `columns that depend on each other`() {
        #expect(ways("a <= b") == [[.order("a", .lessOrEqual, "b")]])
        #expect(ways("(a IS NULL) <> (b IS NULL)").count == 2)
        #expect(ways("(a IS NULL) = (b IS NULL)").contains([.isNotNull("a"), .isNotNull("b")]))
        #expect(
            ways("CASE a WHEN 'x' THEN b > 0 ELSE b IS NULL END") == [
                [.isIn("a", ["x"]), .bound("b", .greater, 0)], [.isNotIn("a", ["x"]), .isNull("b")],
            ])
    }

    @Test func `what is not understood names its columns`() {
        #expect(ways("a % 2 = 0") == [[.unknown(["a"])]])
        #expect(ways("a > (SELECT 1)").count == 1)
        let deep = String(repeating: "(", count: 500) + "a" + String(repeating: ")", count: 500)
        #expect(ways(deep + " > 1") == [[.unknown(["a"])]])
        let long = (0..<40).map { "(a\($0) = 1 OR b\($0) = 2)" }.joined(separator: " AND ")
        #expect(ways(long).count <= 32)
    }
}
