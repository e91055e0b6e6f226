import DatabaseEngine

/// An SQL expression, as far as it says which values a column may have.
indirect enum Expression: Sendable, Hashable {
    case value(SQLValue)
    /// A column by its folded name, without a qualifier.
    case column(String)
    /// `not`, `-` or `~` before an operand.
    case unary(String, Expression)
    /// An operator between two operands, in lower case: `and`, `=`, `<>`, `is`, `is not`, `like`, `->`, ...
    case binary(String, Expression, Expression)
    case between(Expression, Expression, Expression)
    case isIn(Expression, [Expression])
    case call(String, [Expression])
    case choice([Branch], otherwise: Expression?)
    /// A query in parentheses, also with EXISTS before it, with the folded names in it.
    case subquery(String, Set<String>)
    /// What is not understood, with the folded names in it.
    case unknown(Set<String>)

    struct Branch: Sendable, Hashable {
        var condition: Expression
        var result: Expression
    }

    /// The folded names of the columns; for what is not understood every name in it.
    var columns: Set<String> {
        switch self {
        case .value: []
        case .column(let name): [name]
        case .unary(_, let operand): operand.columns
        case .binary(_, let a, let b): a.columns.union(b.columns)
        case .between(let a, let b, let c): a.columns.union(b.columns).union(c.columns)
        case .isIn(let operand, let list): list.reduce(operand.columns) { $0.union($1.columns) }
        case .call(_, let arguments): arguments.reduce(into: []) { $0.formUnion($1.columns) }
        case .choice(let branches, let otherwise):
            branches.reduce(otherwise?.columns ?? []) {
                $0.union($1.condition.columns).union($1.result.columns)
            }
        case .subquery(_, let names), .unknown(let names): names
        }
    }

    /// The value of a literal, also with a sign before it.
    var constant: SQLValue? {
        switch self {
        case .value(let value): value
        case .unary("-", .value(.integer(let value))): .integer(0 &- value)
        case .unary("-", .value(.real(let value))): .real(-value)
        default: nil
        }
    }

    /// Whether its result is true, false or NULL.
    var isCondition: Bool {
        switch self {
        case .unary(let sign, _): sign == "not"
        case .binary(let sign, _, _): Self.conditions.contains(sign)
        case .between, .isIn: true
        case .call(let name, _): name == "json_valid"
        case .subquery(let text, _): text.hasPrefix("EXISTS")
        default: false
        }
    }

    private static let conditions: Set<String> = [
        "and", "or", "=", "<>", "<", "<=", ">", ">=", "is", "is not", "like", "glob", "match", "regexp",
    ]
}
