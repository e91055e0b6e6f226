import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// Adds rows to a table until each condition that statements put on it has a row that meets it, and one that does not.
struct ConditionFill {
    let plan: TablePlan
    let connection: any Connection
    let freedom: RowFreedom
    /// How many rows may still be computed in search of those that are sought.
    var work: Int

    /// A table gets rows for so many conditions.
    static let most = 24
    /// The rows that may be computed for all tables of a request.
    static let workLimit = 2400

    /// - Parameters:
    ///   - row: makes the next row that fits what is known.
    ///   - insert: inserts a row; returns whether SQLite took it.
    ///   - accept: takes note of a row that stays.
    mutating func run(
        _ builder: inout RowBuilder, row: (inout RowBuilder, Int) throws -> [SQLValue]?,
        insert: ([SQLValue]) throws -> Bool,
        accept: (inout RowBuilder, [SQLValue], StatedCondition.Local) throws -> Void
    ) throws {
        let judge = RowJudge(plan, on: connection)
        // What is hard, or cannot be, waits until the others are met.
        for effort in Self.efforts {
            for condition in plan.conditions where freedom.isUnusual || !condition.isForUnusualRows {
                try meet(condition, effort, judge, &builder, row: row, insert: insert) {
                    try accept(&$0, $1, condition)
                }
            }
        }
    }

    /// How many rows may be computed for one condition, at first and then again.
    private static let efforts = [80, 320]

    /// A row that is sought.
    private struct Sought {
        var goal: Constraint
        /// The query with which SQLite checks whether a row meets it, if that is more than can be solved for.
        var whole: StatedCondition.Whole?
    }

    private mutating func meet(
        _ condition: StatedCondition.Local, _ effort: Int, _ judge: RowJudge, _ builder: inout RowBuilder,
        row: (inout RowBuilder, Int) throws -> [SQLValue]?,
        insert: ([SQLValue]) throws -> Bool, accept: (inout RowBuilder, [SQLValue]) throws -> Void
    ) throws {
        let expression = condition.expression
        // Rows on which it is false tell more than those on which it is NULL.
        let sought =
            (condition.whole.map { [Sought(goal: Constraint(expression: expression), whole: $0)] } ?? [])
            + [
                Sought(goal: Constraint(expression: expression)),
                Sought(goal: Constraint(expression: .unary("not", expression))),
                Sought(goal: Constraint(expression: expression, isWanted: false)),
            ]
        for sought in sought where try work > 0 && isMet(sought) == false {
            for attempt in 0..<2 {
                guard let base = try row(&builder, attempt) else { break }
                let solver = RowSolver(builder, judge, freedom)
                let constraints = [sought.goal] + plan.constraints(keepsLater: builder.keepsLater)
                let limit = min(effort, work)
                var left = limit
                let solved = try solver.solved(base, constraints, &left)
                work -= limit - left
                guard let solved else { break }
                if try isKept(solved, sought, insert) {
                    try accept(&builder, solved)
                    break
                }
                builder.advanceKey()
            }
        }
    }

    /// Inserts a row, and takes it back if SQLite does not see what it was made for.
    private func isKept(_ row: [SQLValue], _ sought: Sought, _ insert: ([SQLValue]) throws -> Bool)
        throws -> Bool
    {
        try connection.execute("SAVEPOINT drydock_condition")
        let isInserted = try insert(row)
        // A trigger may have ended the transaction.
        guard connection.isInTransaction else { return isInserted }
        let isMet = try isInserted && isMet(sought) == true
        if !isMet { try connection.execute("ROLLBACK TO drydock_condition") }
        try connection.execute("RELEASE drydock_condition")
        return isMet
    }

    /// Returns whether a row of the table is one that is sought; nil where SQLite cannot say.
    private func isMet(_ sought: Sought) throws -> Bool? {
        let expression = sought.whole?.expression ?? sought.goal.expression
        let test = sought.goal.isWanted ? expression.sql : "NOT coalesce(\(expression.sql), 0)"
        let (table, alias) = (quotedName(plan.name), quotedName(sought.whole?.alias ?? plan.name))
        do {
            return try connection.firstRow("SELECT 1 FROM main.\(table) AS \(alias) WHERE \(test) LIMIT 1") {
                _ in
                true
            } ?? false
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            return nil
        }
    }
}
