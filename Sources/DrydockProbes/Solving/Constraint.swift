/// What a row must satisfy: an expression that has to be true, or must not be.
struct Constraint: Sendable, Hashable {
    var expression: Expression
    /// Whether it must be true; else it must not be, and NULL will do.
    var isWanted = true
    /// Whether NULL satisfies the condition, as in a CHECK.
    var allowsNull = false

    /// The parts that must all hold.
    var conjuncts: [Constraint] {
        switch (expression, isWanted) {
        case (.binary("and", let a, let b), true): return parts([a, b])
        case (.binary("or", let a, let b), false): return parts([a, b])
        case (.between(let operand, let low, let high), true):
            return parts([.binary(">=", operand, low), .binary("<=", operand, high)])
        case (.unary("not", .unary("not", let operand)), true): return parts([operand])
        case (.unary("not", .binary("or", let a, let b)), true):
            return parts([.unary("not", a), .unary("not", b)])
        default: return [self]
        }
    }

    private func parts(_ expressions: [Expression]) -> [Constraint] {
        expressions.flatMap {
            Constraint(expression: $0, isWanted: isWanted, allowsNull: allowsNull).conjuncts
        }
    }
}
