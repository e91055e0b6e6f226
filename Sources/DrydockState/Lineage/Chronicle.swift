import DrydockMigrations
import SQLiteSchema
import Synchronization

/// What the statements of all migrations before a step did to tables, so that a rebuild over several migrations is
/// understood. It is read when a step drops something, and then kept for later steps.
package final class Chronicle: Sendable {
    private struct Reading {
        var count = 0
        var lineage = TableLineage(tables: [])
    }

    private let migrations: [Migration]
    private let reading = Mutex(Reading())

    package init(_ migrations: [Migration]) { self.migrations = migrations }

    /// Returns the provenance of a step's data.
    /// - Parameter before: the schema before the step.
    package func provenance(of step: Migration, before: Catalog) -> Provenance {
        let place = migrations.firstIndex { $0.identifier == step.identifier } ?? 0
        var start = reading.withLock { reading in
            if reading.count > place { reading = Reading() }
            for migration in migrations[reading.count..<place] {
                for (index, statement) in migration.statements.enumerated() {
                    reading.lineage.apply(statement, at: index)
                }
            }
            reading.count = place
            return reading.lineage
        }
        start.adopt(before)
        var end = start
        for (index, statement) in step.statements.enumerated() { end.apply(statement, at: index) }
        return Provenance(start: start, end: end)
    }
}
