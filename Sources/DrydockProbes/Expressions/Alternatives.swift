import DatabaseEngine

/// The ways to satisfy a constraint: one of them must hold in all its conditions.
struct Alternatives: Sendable, Hashable {
    var all: [[Condition]]

    /// More ways than this are not kept apart.
    private static let limit = 32

    /// Reads a condition that must not be false, as CHECK does: NULL will do, but no row relies on it.
    init(_ expression: Expression, isNegated: Bool = false) {
        all = Self.ways(expression, isNegated)
        // NULL is the last way that anyone would choose, unless other columns are then filled.
        let filled = all.filter { way in
            way.isEmpty || !way.allSatisfy { if case .isNull = $0 { true } else { false } }
        }
        if !filled.isEmpty { all = filled }
        if all.contains([]) { all = [[]] }
    }

    var columns: Set<String> { all.reduce(into: []) { $0.formUnion($1.flatMap(\.columns)) } }

    private static func ways(_ expression: Expression, _ isNegated: Bool) -> [[Condition]] {
        switch expression {
        case .unary("not", let operand): return ways(operand, !isNegated)
        case .binary("and", let a, let b):
            return isNegated
                ? either(ways(a, true), ways(b, true)) : both(ways(a, false), ways(b, false))
        case .binary("or", let a, let b):
            return isNegated
                ? both(ways(a, true), ways(b, true)) : either(ways(a, false), ways(b, false))
        case .between(let operand, let low, let high):
            let range = Expression.binary(
                "and", .binary(">=", operand, low), .binary("<=", operand, high))
            return ways(range, isNegated)
        case .choice(let branches, let otherwise): return choice(branches, otherwise, isNegated)
        case .binary(let sign, let a, let b) where ["=", "<>", "is", "is not"].contains(sign):
            if let ways = sameTruth(a, b, isSame: (sign == "=" || sign == "is") != isNegated) { return ways }
        case .value(let value):
            return (value.number ?? 0) != 0 || value.isNull
                ? (isNegated ? [] : [[]]) : (isNegated ? [[]] : [])
        default: break
        }
        return ConditionReader.conditions(expression, isNegated: isNegated)
            ?? [[.unknown(expression.columns)]]
    }

    /// Reads `(a IS NULL) = (b IS NULL)`, and `(a IS NULL) + (b IS NULL) = 1`.
    private static func sameTruth(_ a: Expression, _ b: Expression, isSame: Bool) -> [[Condition]]? {
        if a.isCondition, b.isCondition {
            return either(
                both(ways(a, false), ways(b, !isSame)), both(ways(a, true), ways(b, isSame)))
        }
        guard case .integer(let number)? = b.constant, isSame else { return nil }
        var terms: [Expression] = []
        guard collectTerms(a, &terms), terms.count <= 5, !terms.isEmpty else { return nil }
        var found: [[Condition]] = []
        for choice in 0..<(1 << terms.count) where choice.nonzeroBitCount == Int(number) {
            let parts = terms.indices.map { ways(terms[$0], choice & (1 << $0) == 0) }
            found = either(found, parts.reduce([[]]) { both($0, $1) })
        }
        return found
    }

    private static func collectTerms(_ sum: Expression, _ terms: inout [Expression]) -> Bool {
        if case .binary("+", let a, let b) = sum { return collectTerms(a, &terms) && collectTerms(b, &terms) }
        guard sum.isCondition else { return false }
        terms.append(sum)
        return true
    }

    private static func choice(
        _ branches: [Expression.Branch], _ otherwise: Expression?, _ isNegated: Bool
    ) -> [[Condition]] {
        var found: [[Condition]] = []
        var before: [[Condition]] = [[]]
        for branch in branches {
            let here = both(before, ways(branch.condition, false))
            found = either(found, both(here, ways(branch.result, isNegated)))
            before = both(before, ways(branch.condition, true))
        }
        let rest = otherwise.map { ways($0, isNegated) } ?? [[]]
        return either(found, both(before, rest))
    }

    private static func either(_ a: [[Condition]], _ b: [[Condition]]) -> [[Condition]] {
        var seen: Set<[Condition]> = []
        return Array((a + b).filter { seen.insert($0).inserted }.prefix(limit))
    }

    private static func both(_ a: [[Condition]], _ b: [[Condition]]) -> [[Condition]] {
        var result: [[Condition]] = []
        for first in a {
            for second in b where result.count < limit { result.append(first + second) }
        }
        return result
    }
}
