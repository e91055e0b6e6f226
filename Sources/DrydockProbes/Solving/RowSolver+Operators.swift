import DatabaseEngine

extension RowSolver {
    /// Returns rows on which an expression may have exactly a value.
    func inverse(_ expression: Expression, _ value: SQLValue, _ row: [SQLValue], _ depth: Int) throws
        -> [[SQLValue]]
    {
        switch expression {
        case .unary("-", let operand):
            return try Arithmetic.result("-", 0, value).map { try equal(operand, $0, row, depth) } ?? []
        case .unary("~", let operand):
            guard case .integer(let number) = value else { return [] }
            return try equal(operand, .integer(~number), row, depth)
        case .unary, .isIn, .between:
            return try rows(expression, .truth(RowJudge.isTrue(value)), row, depth)
        case .binary("||", _, _): return try concatenation(expression, value, row, depth)
        case .binary("->", let document, let path), .binary("->>", let document, let path):
            guard let path = try judge.value(path, row) else { return [] }
            return try json(document, JSONInverse.path(path), value, row, depth)
        case .binary(let sign, let a, let b):
            if expression.isCondition {
                return try rows(expression, .truth(RowJudge.isTrue(value)), row, depth)
            }
            return try arithmetic(sign, a, b, value, row, depth)
        case .call(let name, let arguments): return try call(name, arguments, value, row, depth)
        default: return try rows(expression, .compared(.equal, value), row, depth)
        }
    }

    func equal(_ expression: Expression, _ value: SQLValue, _ row: [SQLValue], _ depth: Int) throws
        -> [[SQLValue]]
    {
        try rows(expression, value.isNull ? .isNull : .compared(.equal, value), row, depth)
    }

    // MARK: - Numbers

    private func arithmetic(
        _ sign: String, _ a: Expression, _ b: Expression, _ value: SQLValue, _ row: [SQLValue], _ depth: Int
    ) throws -> [[SQLValue]] {
        guard let left = try judge.value(a, row), let right = try judge.value(b, row) else { return [] }
        var found: [[SQLValue]] = []
        if !a.ownColumns.isEmpty {
            for wanted in Arithmetic.lefts(sign, value, right: right, now: left) {
                found += try equal(a, wanted, row, depth)
            }
        }
        if !b.ownColumns.isEmpty {
            for wanted in Arithmetic.rights(sign, value, left: left, now: right) {
                found += try equal(b, wanted, row, depth)
            }
        }
        return found
    }

    // MARK: - Texts

    /// Cuts a text into the parts that are joined: what stands between those that cannot change.
    private func concatenation(
        _ expression: Expression, _ value: SQLValue, _ row: [SQLValue], _ depth: Int
    ) throws -> [[SQLValue]] {
        guard let text = value.text ?? value.number.map({ "\($0)" }) else { return [] }
        var parts: [Expression] = []
        func collect(_ part: Expression) {
            guard case .binary("||", let a, let b) = part else { return parts.append(part) }
            collect(a)
            collect(b)
        }
        collect(expression)
        var rest = text[...]
        var pieces: [(part: Expression, text: String)] = []
        var open: Expression?
        for part in parts {
            guard part.ownColumns.isEmpty else {
                // Between two that may change nothing says where one ends.
                if let before = open {
                    let now = try judge.value(before, row)?.text ?? ""
                    let count = rest.hasPrefix(now) ? now.count : 0
                    pieces.append((before, String(rest.prefix(count))))
                    rest = rest.dropFirst(count)
                }
                open = part
                continue
            }
            guard let literal = try judge.value(part, row)?.text, !literal.isEmpty else { continue }
            guard let range = rest.firstRange(of: literal) else { return [] }
            if let before = open {
                pieces.append((before, String(rest[..<range.lowerBound])))
                open = nil
            } else if range.lowerBound != rest.startIndex {
                return []
            }
            rest = rest[range.upperBound...]
        }
        if let open { pieces.append((open, String(rest))) }
        var found = [row]
        for piece in pieces {
            found = try found.flatMap { row -> [[SQLValue]] in
                if try judge.value(piece.part, row) == SQLValue(piece.text) { return [row] }
                return try equal(piece.part, SQLValue(piece.text), row, depth)
            }
            found = Array(found.prefix(8))
        }
        return found.filter { $0 != row }
    }
}

/// Numbers with SQLite's operators.
enum Arithmetic {
    static func result(_ sign: String, _ a: SQLValue, _ b: SQLValue) -> SQLValue? {
        if case .integer(let a) = a, case .integer(let b) = b {
            let found: (partialValue: Int64, overflow: Bool)? =
                switch sign {
                case "+": a.addingReportingOverflow(b)
                case "-": a.subtractingReportingOverflow(b)
                case "*": a.multipliedReportingOverflow(by: b)
                case "/" where b != 0: a.dividedReportingOverflow(by: b)
                case "%" where b != 0: a.remainderReportingOverflow(dividingBy: b)
                default: nil
                }
            guard let found, !found.overflow else { return nil }
            return .integer(found.partialValue)
        }
        guard let a = a.number, let b = b.number else { return nil }
        switch sign {
        case "+": return .real(a + b)
        case "-": return .real(a - b)
        case "*": return .real(a * b)
        case "/" where b != 0: return .real(a / b)
        default: return nil
        }
    }

    /// Returns left operands with which an operation may have a result.
    static func lefts(_ sign: String, _ value: SQLValue, right: SQLValue, now: SQLValue) -> [SQLValue] {
        switch sign {
        case "+": [result("-", value, right)].compactMap(\.self)
        case "-": [result("+", value, right)].compactMap(\.self)
        case "*": quotients(value, right)
        case "/": products(value, right)
        case "%": remainders(value, right, now)
        case "&", "|", "<<", ">>": bits(sign, value, right, now)
        default: []
        }
    }

    /// Returns right operands with which an operation may have a result.
    static func rights(_ sign: String, _ value: SQLValue, left: SQLValue, now: SQLValue) -> [SQLValue] {
        switch sign {
        case "+": [result("-", value, left)].compactMap(\.self)
        case "-": [result("-", left, value)].compactMap(\.self)
        case "*": quotients(value, left)
        case "/": quotients(left, value)
        case "%": [result("-", left, value)].compactMap(\.self)
        case "&", "|": bits(sign, value, left, now)
        default: []
        }
    }

    private static func quotients(_ value: SQLValue, _ other: SQLValue) -> [SQLValue] {
        var found = [result("/", value, other)].compactMap(\.self)
        if case .integer(let number)? = found.first {
            found += [.integer(number &+ 1), .integer(number &- 1)]
        }
        return found
    }

    private static func products(_ value: SQLValue, _ other: SQLValue) -> [SQLValue] {
        guard let exact = result("*", value, other) else { return [] }
        // Between two whole results there are others that are rounded down.
        guard case .integer(let number) = exact, case .integer(let other) = other else { return [exact] }
        return [exact, .integer(number &+ other / 2), .integer(number &+ 1)]
    }

    /// Numbers near the present one with a remainder.
    private static func remainders(_ value: SQLValue, _ divisor: SQLValue, _ now: SQLValue) -> [SQLValue] {
        guard case .integer(let rest) = value, let divisor = whole(divisor), divisor != 0,
            let now = whole(now)
        else { return [] }
        let base = now &- now % divisor
        return [base &+ rest, base &+ divisor &+ rest, base &- divisor &+ rest, rest, rest &+ divisor].map {
            .integer($0)
        }
    }

    private static func bits(_ sign: String, _ value: SQLValue, _ other: SQLValue, _ now: SQLValue)
        -> [SQLValue]
    {
        guard let value = whole(value), let other = whole(other), let now = whole(now) else { return [] }
        let found: [Int64] =
            switch sign {
            case "&": [now & ~other | value & other, value, 8, 16, 0]
            case "|": [value & ~other, value]
            case "<<": [value >> other]
            default: [value << other]
            }
        return found.map { .integer($0) }
    }

    private static func whole(_ value: SQLValue) -> Int64? {
        switch value {
        case .integer(let number): number
        case .real(let number): Int64(exactly: number.rounded(.towardZero))
        default: nil
        }
    }
}
