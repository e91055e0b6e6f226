import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// Adds rows to a table until each condition that statements put on it has a row that meets it, and one that does not.
struct ConditionFill {
    let plan: TablePlan
    let connection: any Connection
    let freedom: RowSolver.Freedom
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
        insert: ([SQLValue]) throws -> Bool, accept: (inout RowBuilder, [SQLValue]) throws -> Void
    ) throws {
        let judge = RowJudge(plan, on: connection)
        // What is hard, or cannot be, waits until the others are met.
        for effort in Self.efforts {
            for condition in plan.conditions where freedom.isUnusual || !condition.isChange {
                try meet(
                    condition.expression, effort, judge, &builder, row: row, insert: insert, accept: accept)
            }
        }
    }

    /// How many rows may be computed for one condition, at first and then again.
    private static let efforts = [80, 320]

    private mutating func meet(
        _ condition: Expression, _ effort: Int, _ judge: RowJudge, _ builder: inout RowBuilder,
        row: (inout RowBuilder, Int) throws -> [SQLValue]?,
        insert: ([SQLValue]) throws -> Bool, accept: (inout RowBuilder, [SQLValue]) throws -> Void
    ) throws {
        // Rows on which it is false tell more than those on which it is NULL.
        let goals = [
            Constraint(expression: condition), Constraint(expression: .unary("not", condition)),
            Constraint(expression: condition, isWanted: false),
        ]
        for goal in goals where try work > 0 && isMet(goal) == false {
            for attempt in 0..<2 {
                guard let base = try row(&builder, attempt) else { break }
                var solver = RowSolver(builder, judge, freedom)
                let constraints = [goal] + plan.constraints(keepsLater: builder.keepsLater)
                let limit = min(effort, work)
                var left = limit
                let solved = try solver.solved(base, constraints, &left)
                work -= limit - left
                guard let solved else { break }
                if try isKept(solved, goal, insert) {
                    try accept(&builder, solved)
                    break
                }
                builder.advanceKey()
            }
        }
    }

    /// Inserts a row, and takes it back if SQLite does not see what it was made for.
    private func isKept(_ row: [SQLValue], _ goal: Constraint, _ insert: ([SQLValue]) throws -> Bool)
        throws -> Bool
    {
        try connection.execute("SAVEPOINT drydock_condition")
        let isInserted = try insert(row)
        // A trigger may have ended the transaction.
        guard connection.isInTransaction else { return isInserted }
        let isMet = try isInserted && isMet(goal) == true
        if !isMet { try connection.execute("ROLLBACK TO drydock_condition") }
        try connection.execute("RELEASE drydock_condition")
        return isMet
    }

    /// Returns whether a row of the table is one that is sought; nil where SQLite cannot say.
    private func isMet(_ goal: Constraint) throws -> Bool? {
        let test = goal.isWanted ? goal.expression.sql : "NOT coalesce(\(goal.expression.sql), 0)"
        let table = quotedName(plan.name)
        do {
            return try connection.firstRow("SELECT 1 FROM main.\(table) AS \(table) WHERE \(test) LIMIT 1") {
                _ in
                true
            } ?? false
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            return nil
        }
    }
}
