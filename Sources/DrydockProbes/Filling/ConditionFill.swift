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
    static let workLimit = 4000

    /// - Parameters:
    ///   - row: makes the next row that fits what is known.
    ///   - insert: inserts a row; returns whether SQLite took it.
    ///   - accept: takes note of a row that stays.
    mutating func run(
        _ builder: inout RowBuilder, row: (inout RowBuilder, Int) throws -> [SQLValue]?,
        insert: ([SQLValue]) throws -> Bool, accept: (inout RowBuilder, [SQLValue]) throws -> Void
    ) throws {
        let judge = RowJudge(plan, on: connection)
        for condition in plan.conditions where freedom.isUnusual || !condition.isChange {
            for isWanted in [true, false] {
                guard work > 0 else { return }
                guard try isMet(condition.expression, isWanted) == false else { continue }
                let goal = Constraint(expression: condition.expression, isWanted: isWanted)
                for attempt in 0..<2 {
                    guard let base = try row(&builder, attempt) else { break }
                    var solver = RowSolver(builder, judge, freedom)
                    let constraints = [goal] + plan.constraints(keepsLater: builder.keepsLater)
                    guard let solved = try solver.solved(base, constraints, &work) else { break }
                    if try isKept(solved, condition.expression, isWanted, insert) {
                        try accept(&builder, solved)
                        break
                    }
                    builder.advanceKey()
                }
            }
        }
    }

    /// Inserts a row, and takes it back if SQLite does not see what it was made for.
    private func isKept(
        _ row: [SQLValue], _ condition: Expression, _ isWanted: Bool, _ insert: ([SQLValue]) throws -> Bool
    ) throws -> Bool {
        try connection.execute("SAVEPOINT drydock_condition")
        let isInserted = try insert(row)
        // A trigger may have ended the transaction.
        guard connection.isInTransaction else { return isInserted }
        let isMet = try isInserted && isMet(condition, isWanted) == true
        if !isMet { try connection.execute("ROLLBACK TO drydock_condition") }
        try connection.execute("RELEASE drydock_condition")
        return isMet
    }

    /// Returns whether a row of the table meets a condition, or does not; nil where SQLite cannot say.
    private func isMet(_ condition: Expression, _ isWanted: Bool) throws -> Bool? {
        let test = isWanted ? condition.sql : "NOT coalesce(\(condition.sql), 0)"
        let table = quotedName(plan.name)
        do {
            return try connection.firstRow("SELECT 1 FROM main.\(table) AS \(table) WHERE \(test) LIMIT 1") { _ in
                true
            } ?? false
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            return nil
        }
    }
}
