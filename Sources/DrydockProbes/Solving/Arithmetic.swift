import DatabaseEngine

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
