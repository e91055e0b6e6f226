import DatabaseEngine

/// Solves an expression for the columns that it reads: operators and functions are inverted on the way down to a column.
struct ExpressionSolver {
    let judge: RowJudge
    let columns: ColumnChanges
    /// The constants of the constraints that are to be satisfied.
    let constants: [SQLValue]

    /// How many operations deep a column is looked for.
    private static let deepest = 14

    /// Returns rows on which an expression may reach a goal.
    func rows(_ expression: Expression, _ goal: Goal, _ row: [SQLValue], _ depth: Int = 0) throws
        -> [[SQLValue]]
    {
        guard depth < Self.deepest else { return [] }
        if case .truth(let truth) = goal,
            let found = try logic(expression, truth, row, depth + 1)
        {
            return found
        }
        switch expression {
        case .column(let name):
            guard let place = columns.plan.places[name] else { return [] }
            return try goalValues(place).values(goal, current: row[place]).compactMap {
                columns.changed(row, place, $0)
            }
        case .value, .subquery, .unknown: return []
        case .choice(let branches, let otherwise):
            return try choice(branches, otherwise, goal, row, depth + 1)
        default: break
        }
        switch goal {
        case .isNotNull: return try operands(expression).flatMap { try rows($0, goal, row, depth + 1) }
        case .isNull:
            return try operands(expression).flatMap { try rows($0, goal, row, depth + 1) }
                + inverse(expression, .null, row, depth + 1)
        default:
            return try goalValues(nil).values(goal, current: judge.value(expression, row)).flatMap {
                try inverse(expression, $0, row, depth + 1)
            }
        }
    }

    private func operands(_ expression: Expression) -> [Expression] {
        switch expression {
        case .unary(_, let operand): [operand]
        case .binary(_, let a, let b): [a, b]
        case .call(_, let arguments): arguments.filter { !$0.ownColumns.isEmpty }
        default: []
        }
    }

    // MARK: - Conditions

    /// Returns rows on which a condition may be true, or false; nil for what is not a condition.
    private func logic(_ expression: Expression, _ truth: Bool, _ row: [SQLValue], _ depth: Int) throws
        -> [[SQLValue]]?
    {
        switch expression {
        case .unary("not", let operand): return try rows(operand, .truth(!truth), row, depth)
        case .binary("and", let a, let b), .binary("or", let a, let b):
            let isAnd = if case .binary("and", _, _) = expression { true } else { false }
            if isAnd == truth { return try chain([(a, truth), (b, truth)], row, depth) }
            return try rows(a, .truth(truth), row, depth) + rows(b, .truth(truth), row, depth)
        case .between(let operand, let low, let high):
            let both = Expression.binary(
                "and", .binary(">=", operand, low), .binary("<=", operand, high))
            return try rows(both, .truth(truth), row, depth)
        case .isIn(let operand, let list): return try isIn(operand, list, truth, row, depth)
        case .binary("like", let operand, let pattern), .binary("glob", let operand, let pattern):
            guard let text = try judge.value(pattern, row)?.text else { return [] }
            let isLike = if case .binary("like", _, _) = expression { true } else { false }
            let read = isLike ? TextPattern(like: text) : TextPattern(glob: text)
            return try rows(operand, .matches(read, truth), row, depth)
        case .call("like", let arguments) where arguments.count == 3:
            guard let text = arguments[0].constant?.text, let escape = arguments[2].constant?.text?.first
            else { return [] }
            let pattern = TextPattern(like: text, escape: escape)
            return try rows(arguments[1], .matches(pattern, truth), row, depth)
        case .binary(let sign, let a, let b): return try compared(sign, a, b, truth, row, depth)
        default: return nil
        }
    }

    /// Returns rows on which all parts may hold.
    private func chain(
        _ parts: [(expression: Expression, truth: Bool)], _ row: [SQLValue], _ depth: Int
    ) throws -> [[SQLValue]] {
        var found = [row]
        for part in parts {
            let constraint = Constraint(expression: part.expression, isWanted: part.truth)
            var next: [[SQLValue]] = []
            for row in found.prefix(6) {
                if try judge.holds(constraint, row) {
                    next.append(row)
                } else {
                    next += try rows(part.expression, .truth(part.truth), row, depth).filter {
                        try judge.holds(constraint, $0)
                    }.prefix(6)
                }
            }
            guard !next.isEmpty else { return found.filter { $0 != row } }
            found = next
        }
        return found.filter { $0 != row }
    }

    private func isIn(
        _ operand: Expression, _ list: [Expression], _ truth: Bool, _ row: [SQLValue], _ depth: Int
    ) throws -> [[SQLValue]] {
        guard truth else {
            let value = try judge.value(operand, row) ?? .null
            return try rows(operand, .compared(.different, value), row, depth)
        }
        var values: [SQLValue] = []
        for item in list {
            if case .subquery(let text, _) = item {
                values += try judge.list(text)
            } else if let value = try judge.value(item, row) {
                values.append(value)
            }
        }
        return try values.filter { !$0.isNull }.flatMap {
            try rows(operand, .compared(.equal, $0), row, depth)
        }
    }

    private func compared(
        _ sign: String, _ a: Expression, _ b: Expression, _ truth: Bool, _ row: [SQLValue], _ depth: Int
    ) throws -> [[SQLValue]]? {
        let isNullSafe = sign == "is" || sign == "is not"
        let text = sign == "is" ? "=" : sign == "is not" ? "<>" : sign
        guard var comparison = Condition.Comparison(rawValue: text) else { return nil }
        if !truth { comparison = comparison.negated }
        var found: [[SQLValue]] = []
        for (side, other, comparison) in [(a, b, comparison), (b, a, comparison.exchanged)]
        where !side.ownColumns.isEmpty {
            guard let value = try judge.value(other, row) else { continue }
            if !value.isNull {
                if side.isCondition {
                    let isTrue = RowJudge.isTrue(value) == (comparison == .equal)
                    found += try rows(side, .truth(isTrue), row, depth)
                } else {
                    found += try rows(side, .compared(comparison, value), row, depth)
                }
            } else if isNullSafe {
                found += try rows(side, comparison == .equal ? .isNull : .isNotNull, row, depth)
            }
            if try judge.value(side, row)?.isNull ?? true {
                found += try rows(side, .isNotNull, row, depth)
            }
        }
        return found
    }

    // MARK: - CASE

    private func choice(
        _ branches: [Expression.Branch], _ otherwise: Expression?, _ goal: Goal, _ row: [SQLValue],
        _ depth: Int
    ) throws -> [[SQLValue]] {
        var found: [[SQLValue]] = []
        var before: [(expression: Expression, truth: Bool)] = []
        let last = Expression.Branch(condition: .value(1), result: otherwise ?? .value(.null))
        for branch in branches + [last] {
            let here = before + [(branch.condition, true)]
            before.append((branch.condition, false))
            for chosen in try [row] + chain(here, row, depth).prefix(4) {
                if chosen != row { found.append(chosen) }
                found += try rows(branch.result, goal, chosen, depth).prefix(8)
            }
        }
        return found
    }

    // MARK: - Operators

    /// Returns rows on which an expression may have exactly a value.
    private func inverse(_ expression: Expression, _ value: SQLValue, _ row: [SQLValue], _ depth: Int) throws
        -> [[SQLValue]]
    {
        if case .binary("||", _, _) = expression { return try concatenation(expression, value, row, depth) }
        return try operandGoals(expression, value, row).flatMap {
            try rows($0.operand, $0.goal, row, depth)
        }
    }

    /// Returns what operands of an expression may have to be.
    private func operandGoals(_ expression: Expression, _ value: SQLValue, _ row: [SQLValue]) throws
        -> [OperandGoal]
    {
        switch expression {
        case .unary("-", let operand):
            return Arithmetic.result("-", 0, value).map { [OperandGoal(operand, equals: $0)] } ?? []
        case .unary("~", let operand):
            guard case .integer(let number) = value else { return [] }
            return [OperandGoal(operand, equals: .integer(~number))]
        case .binary("->", let document, let path), .binary("->>", let document, let path):
            guard let path = try judge.value(path, row) else { return [] }
            return try JSONInverse(judge: judge, key: columns.key)
                .goals(document, at: JSONInverse.path(path), value, row)
        case .unary, .isIn, .between:
            return [OperandGoal(expression, .truth(RowJudge.isTrue(value)))]
        case .binary(let sign, let a, let b):
            guard !expression.isCondition else {
                return [OperandGoal(expression, .truth(RowJudge.isTrue(value)))]
            }
            guard let left = try judge.value(a, row), let right = try judge.value(b, row) else { return [] }
            let lefts = a.ownColumns.isEmpty ? [] : Arithmetic.lefts(sign, value, right: right, now: left)
            let rights = b.ownColumns.isEmpty ? [] : Arithmetic.rights(sign, value, left: left, now: right)
            return lefts.map { OperandGoal(a, equals: $0) } + rights.map { OperandGoal(b, equals: $0) }
        case .call(let name, let arguments):
            return try FunctionInverse(judge: judge, key: columns.key).goals(name, arguments, value, row)
        default: return [OperandGoal(expression, .compared(.equal, value))]
        }
    }

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
                return try rows(piece.part, .compared(.equal, SQLValue(piece.text)), row, depth)
            }
            found = Array(found.prefix(8))
        }
        return found.filter { $0 != row }
    }

    private func goalValues(_ place: Int?) -> GoalValues {
        let judge = judge
        return GoalValues(
            key: columns.key, natural: place.map(columns.natural) ?? [1, "x"], constants: constants,
            isUnusual: columns.freedom.isUnusual
        ) { value, days in
            try DateTimeText.moved(value, days: days, judge)
        }
    }
}
