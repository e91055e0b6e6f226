import DatabaseEngine
import SQLiteSchema

/// Changes a row until it satisfies constraints.
///
/// Where a constraint does not hold, its expression is solved for one of its columns: the value of the other side, as
/// SQLite computes it, is what this side must be, and each operator and function is inverted on the way down to a
/// column. Nothing needs to be exact, since SQLite computes every constraint again on each row that comes out, and
/// the search goes on with the row that breaks the fewest.
struct RowSolver {
    /// What the search may do.
    struct Freedom: Sendable {
        /// Columns that keep their values.
        var fixed: Set<Int> = []
        /// The values that a column may have, where only those of parents will do.
        var allowed: [Int: Set<SQLValue>] = [:]
        /// The values that a key may not have, since migrations insert them.
        var taken: [Int: Set<SQLValue>] = [:]
        /// Whether values may be NULL, of another storage class, or otherwise what few would type.
        var isUnusual = false
    }

    let plan: TablePlan
    let judge: RowJudge
    let freedom: Freedom
    /// A number that differs from row to row.
    let key: Int
    let maker: ValueMaker
    let index: Int
    /// The constants of the constraints that are to be satisfied.
    var constants: [SQLValue] = []

    /// At most so many rows are computed for one that is sought.
    private static let most = 320
    /// At most so many changes of one row are tried for one constraint, and so many without knowing better.
    private static let mostChanges = 20
    private static let mostGuesses = 30
    private static let deepest = 14

    init(_ builder: RowBuilder, _ judge: RowJudge, _ freedom: Freedom) {
        (plan, self.judge, self.freedom) = (builder.plan, judge, freedom)
        (key, maker, index) = (builder.key, builder.valueMaker, builder.count)
    }

    /// Returns a row that satisfies the constraints; nil if none was found.
    /// - Parameter work: how many rows may still be computed.
    mutating func solved(_ row: [SQLValue], _ constraints: [Constraint], _ work: inout Int) throws
        -> [SQLValue]?
    {
        let parts = constraints.flatMap(\.conjuncts).map {
            Constraint(
                expression: $0.expression.replacing(plan.generated), isWanted: $0.isWanted,
                allowsNull: $0.allowsNull)
        }
        constants = parts.flatMap(\.expression.constants)
        var columns: Set<Int> = []
        for part in parts where try !judge.holds(part, row) {
            columns.formUnion(part.expression.ownColumns.compactMap { plan.places[$0] })
        }
        var open: [(broken: [Constraint], row: [SQLValue])] = [(try broken(parts, row), row)]
        var seen: Set<[SQLValue]> = [row]
        var left = min(Self.most, work)
        while !open.isEmpty {
            // The first of those that break the fewest, so that the search is broad where nothing gets better.
            let place = open.indices.min { (open[$0].broken.count, $0) < (open[$1].broken.count, $1) } ?? 0
            let best = open.remove(at: place)
            guard let first = best.broken.first else { return best.row }
            var changes: [[SQLValue]] = []
            for constraint in best.broken.prefix(3) {
                if freedom.isUnusual, constraint.allowsNull {
                    changes += places(constraint.expression).compactMap { changed(best.row, $0, .null) }
                }
                changes += try rows(constraint.expression, .truth(constraint.isWanted), best.row, 0)
                    .prefix(Self.mostChanges)
            }
            changes += pool(first.expression, best.row)
            for changed in changes where seen.insert(changed).inserted {
                guard left > 0 else { return try combined(row, parts, columns.sorted(), &work) }
                (left, work) = (left - 1, work - 1)
                let broken = try broken(parts, changed)
                if broken.isEmpty { return changed }
                open.append((broken, changed))
            }
        }
        return try combined(row, parts, columns.sorted(), &work)
    }

    /// Tries combinations of values in a few columns, each its constants and what is natural there.
    private func combined(
        _ row: [SQLValue], _ constraints: [Constraint], _ columns: [Int], _ work: inout Int
    ) throws -> [SQLValue]? {
        guard columns.count > 1, columns.count <= 4 else { return nil }
        var found = [row]
        for place in columns {
            let values = constants + natural(place) + (freedom.isUnusual ? [.null] : [])
            let share = columns.count == 2 ? 20 : columns.count == 3 ? 7 : 4
            found = found.flatMap { row in
                [row] + values.lazy.compactMap { changed(row, place, $0) }.prefix(share)
            }
        }
        for candidate in found.dropFirst().prefix(Self.most * 2) where work > 0 {
            work -= 1
            if try constraints.allSatisfy({ try judge.holds($0, candidate) }) { return candidate }
        }
        return nil
    }

    private func broken(_ constraints: [Constraint], _ row: [SQLValue]) throws -> [Constraint] {
        try constraints.filter { try !judge.holds($0, row) }
    }

    /// Returns rows with other values in the columns of an expression of which nothing better is known, one of each
    /// column after the other.
    private func pool(_ expression: Expression, _ row: [SQLValue]) -> [[SQLValue]] {
        let near = expression.constants.flatMap { value -> [SQLValue] in
            guard case .integer(let number) = value else { return [value] }
            return [value, .integer(number &+ 1), .integer(number &- 1)]
        }
        let null: [SQLValue] = freedom.isUnusual ? [.null] : []
        let choices = places(expression).map { place in
            (null + near + natural(place)).compactMap { changed(row, place, $0) }
        }
        let longest = choices.map(\.count).max() ?? 0
        let turns = (0..<longest).flatMap { turn in
            choices.compactMap { $0.indices.contains(turn) ? $0[turn] : nil }
        }
        return Array(turns.prefix(Self.mostGuesses))
    }

    private func places(_ expression: Expression) -> [Int] {
        expression.ownColumns.sorted().compactMap { plan.places[$0] }
    }

    // MARK: - A column

    /// Returns the row with another value in a column; nil if the column cannot have it.
    func changed(_ row: [SQLValue], _ place: Int, _ value: SQLValue) -> [SQLValue]? {
        let column = plan.columns[place]
        guard !freedom.fixed.contains(place) else { return nil }
        let value = value.stored(as: column.affinity)
        guard value != row[place] else { return nil }
        if value.isNull {
            let mayBeNull = freedom.isUnusual || plan.mustBeNull.contains(place)
            return mayBeNull && !column.isNotNull ? replaced(row, place, value) : nil
        }
        if let allowed = freedom.allowed[place], !allowed.contains(value) { return nil }
        if let taken = freedom.taken[place], taken.contains(value) { return nil }
        // Nobody has typed a key, and SQLite begins with 1.
        if column.isRowid, !freedom.isUnusual, (value.number ?? 0) < 1 { return nil }
        if !freedom.isUnusual || column.isStrict, !fits(value, column) { return nil }
        return replaced(row, place, value)
    }

    private func replaced(_ row: [SQLValue], _ place: Int, _ value: SQLValue) -> [SQLValue] {
        var row = row
        row[place] = value
        return row
    }

    /// Whether the storage class is one that the column's type asks for.
    private func fits(_ value: SQLValue, _ column: ColumnPlan) -> Bool {
        switch (column.affinity, value) {
        case (.integer, .integer), (.real, .real), (.text, .text), (.blob, _), (.numeric, .integer),
            (.numeric, .real):
            true
        case (.numeric, .text): !column.isStrict
        case (.text, .blob), (.integer, .real), (.integer, .blob): plan.hasTypeChecks && !column.isStrict
        default: false
        }
    }

    func natural(_ place: Int) -> [SQLValue] {
        maker.natural(plan.columns[place], .init(key: key, index: index))
    }

    private func goalValues(_ place: Int?) -> GoalValues {
        let judge = judge
        return GoalValues(
            key: key, natural: place.map(natural) ?? [1, "x"], constants: constants,
            isUnusual: freedom.isUnusual
        ) { value, days in
            try MomentText.moved(value, days: days, judge)
        }
    }

    // MARK: - An expression

    /// Returns rows on which an expression may reach a goal.
    func rows(_ expression: Expression, _ goal: Goal, _ row: [SQLValue], _ depth: Int) throws -> [[SQLValue]]
    {
        guard depth < Self.deepest else { return [] }
        if case .truth(let truth) = goal,
            let found = try logic(expression, truth, row, depth + 1)
        {
            return found
        }
        switch expression {
        case .column(let name):
            guard let place = plan.places[name] else { return [] }
            return try goalValues(place).values(goal, current: row[place]).compactMap {
                changed(row, place, $0)
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
}
