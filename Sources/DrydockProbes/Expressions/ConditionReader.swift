import DatabaseEngine

/// A reader of single comparisons.
enum ConditionReader {
    /// Returns the ways to satisfy a comparison; nil if it is not understood.
    static func conditions(_ expression: Expression, isNegated: Bool) -> [[Condition]]? {
        switch expression {
        case .isIn(let operand, let list): return isIn(operand, list, isNegated)
        case .column(let name):
            return [[isNegated ? .isIn(name, [.integer(0)]) : .isNotIn(name, [.integer(0)])]]
        case .call("json_valid", let arguments):
            guard !isNegated, let name = column(arguments.first) else { return nil }
            return [[.json(name, .any)]]
        case .binary("like", let operand, let pattern), .binary("glob", let operand, let pattern):
            guard let text = pattern.constant?.text, let name = column(operand) else { return nil }
            let isLike = if case .binary("like", _, _) = expression { true } else { false }
            let read = isLike ? TextPattern(like: text) : TextPattern(glob: text)
            return [[isNegated ? .excludes(name, read) : .pattern(name, read)]]
        case .binary(let sign, let a, let b):
            let sign = sign == "is" ? "=" : sign == "is not" ? "<>" : sign
            guard var comparison = Condition.Comparison(rawValue: sign) else { return nil }
            if isNegated { comparison = comparison.negated }
            if a.constant != nil, b.constant == nil { return compared(b, comparison.exchanged, a) }
            return compared(a, comparison, b)
        default: return nil
        }
    }

    private static func isIn(_ operand: Expression, _ list: [Expression], _ isNegated: Bool) -> [[Condition]]?
    {
        let values = list.compactMap(\.constant)
        guard values.count == list.count, !list.isEmpty else { return nil }
        if isNegated {
            guard let name = column(operand) else { return nil }
            return [[.isNotIn(name, values)]]
        }
        let filled = values.filter { !$0.isNull }
        if let name = column(operand) { return [[.isIn(name, filled.isEmpty ? values : filled)]] }
        let ways = filled.compactMap { compared(operand, .equal, .value($0)) }.flatMap { $0 }
        return ways.isEmpty ? nil : ways
    }

    private static func compared(
        _ left: Expression, _ comparison: Condition.Comparison, _ right: Expression
    ) -> [[Condition]]? {
        if let value = right.constant { return comparedValue(left, comparison, value) }
        if let form = form(left, comparison, right) ?? form(right, comparison.exchanged, left) { return form }
        guard let a = column(left), let b = column(right) else { return nil }
        return [[.order(a, comparison, b)]]
    }

    private static func comparedValue(
        _ left: Expression, _ comparison: Condition.Comparison, _ value: SQLValue
    ) -> [[Condition]]? {
        if case .call(let name, let arguments) = left, let found = call(name, arguments, comparison, value) {
            return found
        }
        guard let name = column(left) else { return nil }
        if value.isNull {
            switch comparison {
            case .equal: return [[.isNull(name)]]
            case .different: return [[.isNotNull(name)]]
            default: return nil
            }
        }
        switch comparison {
        case .equal: return [[.isIn(name, [value])]]
        case .different: return [[.isNotIn(name, [value])]]
        default: return [[.bound(name, comparison, value)]]
        }
    }

    /// Reads `length(a) > 3`, `typeof(a) = 'text'`, `trim(a) <> ''`, `instr(a, '@') > 0` and the like.
    private static func call(
        _ name: String, _ arguments: [Expression], _ comparison: Condition.Comparison, _ value: SQLValue
    ) -> [[Condition]]? {
        guard let column = column(arguments.first) else { return nil }
        switch name {
        case "length", "octet_length":
            guard let number = value.number.flatMap({ Int(exactly: $0) }), number < Int.max,
                let range = lengths(comparison, number)
            else {
                return nil
            }
            return [[.length(column, range)]]
        case "trim", "ltrim", "rtrim", "coalesce", "ifnull":
            guard value.text == "", comparison == .different else { return nil }
            return [[.length(column, 1...Int.max)]]
        case "instr":
            guard let text = arguments.last?.constant?.text, let number = value.number,
                comparison == .greater && number == 0 || comparison == .different && number == 0
                    || comparison == .greaterOrEqual && number == 1
            else { return nil }
            return [[.pattern(column, TextPattern(containing: text))]]
        case "substr", "substring":
            guard arguments.count == 3, arguments[1].constant == .integer(1), comparison == .equal,
                let text = value.text
            else { return nil }
            return [[.pattern(column, TextPattern(prefix: text))]]
        case "typeof":
            guard let type = value.text, comparison == .equal else { return nil }
            return type == "null" ? [[.isNull(column)]] : [[.storage(column, [type])]]
        case "json_type":
            guard arguments.count == 1, comparison == .equal else { return nil }
            let shape: JSONShape = value.text == "array" ? .array : value.text == "object" ? .object : .any
            return [[.json(column, shape)]]
        case "date", "datetime", "time", "julianday", "strftime", "unixepoch":
            guard value.isNull, comparison == .different else { return nil }
            return [[.form(column, name == "date" ? .date : name == "time" ? .time : .timestamp)]]
        default: return nil
        }
    }

    private static func lengths(_ comparison: Condition.Comparison, _ number: Int) -> ClosedRange<Int>? {
        switch comparison {
        case .equal: number >= 0 ? number...number : nil
        case .less: number > 0 ? 0...(number - 1) : nil
        case .lessOrEqual: number >= 0 ? 0...number : nil
        case .greater: max(number + 1, 0)...Int.max
        case .greaterOrEqual: max(number, 0)...Int.max
        case .different: number == 0 ? 1...Int.max : nil
        }
    }

    /// Reads `a = lower(a)`, `date(a) = a`, `a = trim(a)` and the like.
    private static func form(
        _ left: Expression, _ comparison: Condition.Comparison, _ right: Expression
    ) -> [[Condition]]? {
        guard comparison == .equal, let name = column(left), case .call(let function, let arguments) = right,
            arguments.contains(.column(name))
        else { return nil }
        switch function {
        case "lower": return [[.form(name, .lowercase)]]
        case "upper": return [[.form(name, .uppercase)]]
        case "trim", "ltrim", "rtrim": return [[.length(name, 1...Int.max)]]
        case "date": return [[.form(name, .date)]]
        case "datetime": return [[.form(name, .timestamp)]]
        case "time": return [[.form(name, .time)]]
        case "strftime":
            let format = arguments.first?.constant?.text ?? ""
            return [[.form(name, format.contains("%H") ? .timestamp : .date)]]
        default: return nil
        }
    }

    /// The column that an operand stands for, as long as its value is that of the column for ordinary values.
    private static func column(_ expression: Expression?) -> String? {
        switch expression {
        case .column(let name): return name
        case .call(let name, let arguments):
            let isSame = [
                "lower", "upper", "trim", "ltrim", "rtrim", "coalesce", "ifnull", "date", "datetime",
            ]
            .contains(name)
            return isSame ? column(arguments.first) : nil
        default: return nil
        }
    }
}
