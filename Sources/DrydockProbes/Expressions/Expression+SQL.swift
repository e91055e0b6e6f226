import DatabaseEngine
import DrydockFindings

extension Expression {
    /// The expression as SQLite reads it, with every operand in parentheses.
    var sql: String {
        switch self {
        case .value(let value): Self.literal(value)
        case .column(let name): quotedName(name)
        case .unary(let sign, let operand): "(\(sign) \(operand.sql))"
        case .binary(let sign, let a, let b): "(\(a.sql) \(sign) \(b.sql))"
        case .between(let operand, let low, let high): "(\(operand.sql) BETWEEN \(low.sql) AND \(high.sql))"
        case .isIn(let operand, let list):
            if case .subquery(let text, _)? = list.first, list.count == 1 {
                "(\(operand.sql) IN \(text))"
            } else {
                "(\(operand.sql) IN (\(list.map(\.sql).joined(separator: ", "))))"
            }
        case .call("cast", let arguments) where arguments.count == 2:
            "CAST(\(arguments[0].sql) AS \(arguments[1].constant?.text ?? "BLOB"))"
        case .call(let name, let arguments):
            name.hasPrefix("current_")
                ? name : "\(name)(\(arguments.map(\.sql).joined(separator: ", ")))"
        case .choice(let branches, let otherwise):
            "CASE " + branches.map { "WHEN \($0.condition.sql) THEN \($0.result.sql) " }.joined()
                + (otherwise.map { "ELSE \($0.sql) " } ?? "") + "END"
        case .subquery(let text, _): "(\(text))"
        case .unknown: "NULL"
        }
    }

    private static func literal(_ value: SQLValue) -> String {
        guard let text = value.text, !text.contains("\u{0}"), SQLValue(text) == value else {
            return value.literal
        }
        return quotedText(text)
    }

    /// The folded names of the columns that stand outside of queries.
    var ownColumns: Set<String> {
        var names: Set<String> = []
        forEach { if case .column(let name) = $0 { names.insert(name) } }
        return names
    }

    /// The constants in it.
    var constants: [SQLValue] {
        var found: [SQLValue] = []
        forEach { if let value = $0.constant, !value.isNull, !found.contains(value) { found.append(value) } }
        return found
    }

    /// The folded names of the functions that it calls.
    var functions: Set<String> {
        var names: Set<String> = []
        forEach { if case .call(let name, _) = $0 { names.insert(name) } }
        return names
    }

    /// Whether there is a query in it.
    var hasQuery: Bool {
        var isFound = false
        forEach { if case .subquery = $0 { isFound = true } }
        return isFound
    }

    /// Whether a part of it is not understood, or not the same every time.
    var isUndecidable: Bool {
        var isFound = false
        forEach { part in
            switch part {
            case .unknown, .binary("match", _, _), .binary("regexp", _, _): isFound = true
            case .call(let name, _): if Self.changing.contains(name) { isFound = true }
            case .subquery(let text, _):
                if Self.clocked.contains(where: { text.contains($0 + "(") }) { isFound = true }
            default: break
            }
        }
        return isFound
    }

    private static let clocked: Set<String> = [
        "random", "randomblob", "changes", "total_changes", "last_insert_rowid", "sqlite_version", "raise",
    ]
    /// What differs from run to run, and what one row alone does not decide.
    private static let changing: Set<String> = clocked.union([
        "", "count", "sum", "avg", "total", "group_concat", "row_number", "rank", "json_group_array",
        "json_group_object",
    ])

    /// The ways in which it can be true, each without the others: for `a OR b` either of both alone.
    var waysToHold: [Expression] {
        let parts = Constraint(expression: self).conjuncts.map {
            $0.isWanted ? $0.expression : Expression.unary("not", $0.expression)
        }
        return parts.indices.flatMap { place -> [Expression] in
            let ways = parts[place].disjuncts
            guard ways.count > 1, ways.count <= 8 else { return [] }
            return ways.indices.map { way in
                let others = ways.indices.filter { $0 != way }.map { Expression.unary("not", ways[$0]) }
                let rest = parts.indices.filter { $0 != place }.map { parts[$0] }
                return (rest + others).reduce(ways[way]) { .binary("and", $0, $1) }
            }
        }
    }

    private var disjuncts: [Expression] {
        if case .binary("or", let a, let b) = self { a.disjuncts + b.disjuncts } else { [self] }
    }

    /// The time that stands for the present, so that nothing depends on the clock.
    private static let present = Expression.value("2024-06-15 12:00:00")

    /// Returns the expression at a fixed time.
    var timeless: Expression {
        mapped { part in
            switch part {
            case .value(let value) where value.text?.foldedASCII == "now": Self.present
            case .call("current_timestamp", _): Self.present
            case .call("current_date", _): .value("2024-06-15")
            case .call("current_time", _): .value("12:00:00")
            case .call(let name, []) where Self.clocks.contains(name): .call(name, [Self.present])
            case .call("strftime", let arguments) where arguments.count == 1:
                .call("strftime", arguments + [Self.present])
            default: nil
            }
        }
    }

    private static let clocks: Set<String> = ["date", "time", "datetime", "julianday", "unixepoch"]

    /// Returns the expression with other expressions in place of columns.
    func replacing(_ columns: [String: Expression]) -> Expression {
        columns.isEmpty
            ? self
            : mapped { part in
                if case .column(let name) = part { columns[name] } else { nil }
            }
    }

    /// Calls a closure with the expression and every part of it.
    private func forEach(_ body: (Expression) -> Void) {
        body(self)
        for part in parts { part.forEach(body) }
    }

    private var parts: [Expression] {
        switch self {
        case .value, .column, .subquery, .unknown: []
        case .unary(_, let operand): [operand]
        case .binary(_, let a, let b): [a, b]
        case .between(let a, let b, let c): [a, b, c]
        case .isIn(let operand, let list): [operand] + list
        case .call(_, let arguments): arguments
        case .choice(let branches, let otherwise):
            branches.flatMap { [$0.condition, $0.result] } + [otherwise].compactMap(\.self)
        }
    }

    /// Returns the expression with what a closure returns in place of the parts for which it returns something.
    private func mapped(_ change: (Expression) -> Expression?) -> Expression {
        if let changed = change(self) { return changed }
        switch self {
        case .value, .column, .subquery, .unknown: return self
        case .unary(let sign, let operand): return .unary(sign, operand.mapped(change))
        case .binary(let sign, let a, let b): return .binary(sign, a.mapped(change), b.mapped(change))
        case .between(let a, let b, let c):
            return .between(a.mapped(change), b.mapped(change), c.mapped(change))
        case .isIn(let operand, let list):
            return .isIn(operand.mapped(change), list.map { $0.mapped(change) })
        case .call(let name, let arguments): return .call(name, arguments.map { $0.mapped(change) })
        case .choice(let branches, let otherwise):
            return .choice(
                branches.map {
                    .init(condition: $0.condition.mapped(change), result: $0.result.mapped(change))
                }, otherwise: otherwise?.mapped(change))
        }
    }
}
