import DatabaseEngine
import DrydockFindings
import DrydockReplay
import SQLiteSchema

/// Generates the rows of probes.
///
/// One value serves a whole run: what the statements say is read once.
package struct RowMaker: Sendable {
    private let shared = SharedLookups()

    package init() {}

    /// Inserts rows as a person would type them: see ``RowRequest``.
    ///
    /// The same request on the same content gives the same rows. What is in the database is read for the keys of rows to
    /// refer to, and to see which conditions of the statements some row meets: a probe has no row that was not generated,
    /// or written by a migration.
    /// - Throws: ``EngineError`` when the run is interrupted. What SQLite refuses is in the result.
    package func insertOrdinaryRows(
        _ request: RowRequest, on connection: any Connection
    ) throws -> GeneratedRows {
        let plans = try plans(request, on: connection)
        var limits: [String: Int] = [:]
        var reasons: [String: String] = [:]
        while true {
            var fill = OrdinaryFill(request, plans, limits: limits, on: connection)
            do {
                let transaction = Transaction(connection, enforcesForeignKeys: !fill.needsForeignKeysOff)
                try transaction.run { try fill.run() }
            } catch let error as RowInserter.RolledBack {
                // Once more, and no further than before.
                let count = fill.inserted[error.table] ?? 0
                guard (limits[error.table] ?? Int.max) > count else {
                    throw EngineError(.constraint, error.reason)
                }
                limits[error.table] = count
                reasons[error.table] = error.reason
                continue
            } catch let error as EngineError where error.isForeignKeyViolation {
                // A key that is checked only at the end.
                let deferred = Self.deferred(plans).filter { limits[$0] != 0 }
                guard !deferred.isEmpty else { throw error }
                for name in deferred { (limits[name], reasons[name]) = (0, error.message) }
                continue
            }
            var result = fill.result
            for (place, empty) in result.empty.enumerated() {
                result.empty[place].reason = reasons[empty.table.foldedASCII] ?? empty.reason
            }
            return result
        }
    }

    /// Inserts rows that the constraints allow, and that few would expect: NULL, duplicates, wrong storage classes.
    /// Every one refers to rows that are there.
    /// - Throws: ``EngineError`` when the run is interrupted.
    package func insertEdgeRows(
        _ request: RowRequest, on connection: any Connection
    ) throws -> GeneratedRows {
        let plans = try plans(request, on: connection)
        let enforces = try connection.firstRow("PRAGMA foreign_keys") { $0.integer(0) } == 1
        var excluded: [String: String] = [:]
        while true {
            var fill = EdgeFill(request, plans, enforcesForeignKeys: enforces, on: connection)
            do {
                try Transaction(connection, enforcesForeignKeys: true).run {
                    try fill.run(leavingOut: excluded)
                }
                return fill.result
            } catch let error as RowInserter.RolledBack where excluded[error.table] == nil {
                excluded[error.table] = error.reason
            } catch let error as EngineError where error.isForeignKeyViolation {
                // A key that is checked only at the end.
                let deferred = Self.deferred(plans)
                    .filter { excluded[$0] == nil }
                guard !deferred.isEmpty else { throw error }
                for name in deferred { excluded[name] = error.message }
            }
        }
    }

    private static func deferred(_ plans: [String: TablePlan]) -> [String] {
        plans.keys.filter { plans[$0]?.references.contains(where: \.isDeferred) ?? false }.sorted()
    }

    /// Returns the plans of the requested tables.
    private func plans(_ request: RowRequest, on connection: any Connection) throws -> [String: TablePlan] {
        var facts = shared.facts(request.statements)
        facts.note(objectsOf: request.schema)
        let planner = TablePlanner(
            SchemaLookup(request.schema), later: shared.lookups(request.later), facts: facts)
        var plans: [String: TablePlan] = [:]
        for name in request.tables.sorted() {
            if let table = request.schema.tables[name] {
                plans[name] = planner.plan(table)
            } else if let unparsed = request.schema.unparsed[name], unparsed.type == "table",
                let table = try ListedTable.table(unparsed.name, on: connection)
            {
                plans[name] = planner.plan(table)
            }
        }
        return plans
    }
}
