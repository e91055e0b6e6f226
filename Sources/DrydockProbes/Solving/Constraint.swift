/// What a row must satisfy: an expression that has to be true, or must not be.
struct Constraint: Sendable, Hashable {
    var expression: Expression
    /// Whether it must be true; else it must not be.
    var isWanted = true
    /// Whether NULL will do where it is wanted, as in a CHECK.
    var allowsNull = false

    /// The parts that must all hold.
    var conjuncts: [Constraint] {
        switch (expression, isWanted) {
        case (.unary("not", let operand), _):
            // NOT of NULL is NULL.
            guard isWanted || !allowsNull else { return [self] }
            return isWanted
                ? [Constraint(expression: operand, isWanted: false, allowsNull: allowsNull)].flatMap(\.conjuncts)
                : [self]
        case (.binary("and", let a, let b), true), (.binary("or", let a, let b), false):
            return [a, b].flatMap {
                Constraint(expression: $0, isWanted: isWanted, allowsNull: allowsNull).conjuncts
            }
        case (.between(let operand, let low, let high), true):
            return [.binary(">=", operand, low), .binary("<=", operand, high)].map {
                Constraint(expression: $0, allowsNull: allowsNull)
            }
        default: return [self]
        }
    }
}
