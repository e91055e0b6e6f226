import DatabaseEngine
import DrydockFindings
import DrydockReplay
import SQLiteSchema

/// Generates the rows of probes.
package struct RowMaker: RowGenerator {
    private let shared = SharedLookups()

    package init() {}

    package func insertOrdinaryRows(
        _ request: RowRequest, on connection: any Connection
    ) throws -> GeneratedRows {
        var facts = shared.facts(request.statements)
        facts.note(objectsOf: request.schema)
        let planner = TablePlanner(
            SchemaLookup(request.schema), later: shared.lookups(request.later), facts: facts)
        var plans: [String: TablePlan] = [:]
        for name in request.tables.sorted() {
            guard let table = request.schema.tables[name] else { continue }
            plans[name] = planner.plan(table)
        }
        var limits: [String: Int] = [:]
        var reasons: [String: String] = [:]
        while true {
            var fill = OrdinaryFill(request, plans, limits: limits, on: connection)
            do {
                try Transaction(connection, enforcesForeignKeys: !fill.isCircular).run { try fill.run() }
            } catch let error as OrdinaryFill.RolledBack where (limits[error.table] ?? Int.max) > error.rows {
                limits[error.table] = error.rows
                reasons[error.table] = error.reason
                continue
            }
            var result = fill.result
            for place in result.empty.indices {
                result.empty[place].reason =
                    reasons[result.empty[place].table.foldedASCII] ?? result.empty[place].reason
            }
            return result
        }
    }

    package func insertEdgeRows(
        _ request: RowRequest, on connection: any Connection
    ) throws -> GeneratedRows { GeneratedRows() }
}
