import DatabaseEngine

/// What an operand is to be, so that the operation may have a value.
struct OperandGoal {
    var operand: Expression
    var goal: Goal

    init(_ operand: Expression, _ goal: Goal) { (self.operand, self.goal) = (operand, goal) }

    init(_ operand: Expression, equals value: SQLValue) {
        self.init(operand, value.isNull ? .isNull : .compared(.equal, value))
    }
}
