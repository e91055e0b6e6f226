import DrydockMigrations
import SQLiteSchema
import Synchronization

/// What the statements of all migrations before a step did to tables, so that a rebuild that is spread over several is
/// understood. Read when a step dropped something, and not again for the next.
package final class Chronicle: Sendable {
    private struct Reading {
        var count = 0
        var lineage = TableLineage(tables: [])
    }

    private let migrations: [Migration]
    private let reading = Mutex(Reading())

    package init(_ migrations: [Migration]) { self.migrations = migrations }

    /// What is known of a step.
    /// - Parameter before: the schema that it meets.
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
