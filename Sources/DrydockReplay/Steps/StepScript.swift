import DrydockMigrations
import SQLiteSchema

/// A step as a script for SQLite's own shell: its statements, in the transaction and with the foreign keys of its tool.
package struct StepScript {
    package let statements: [String]

    package init(statements: [String]) { self.statements = statements }

    package static func statements(of migrations: [Migration]) -> [String] {
        var batches: [[Migration]] = []
        for migration in migrations where migrations.count == 1 || !migration.statements.isEmpty {
            if migration.transaction == .all, batches.last?.last?.transaction == .all {
                batches[batches.count - 1].append(migration)
            } else {
                batches.append([migration])
            }
        }
        return batches.flatMap(script)
    }

    /// Returns migrations that share a transaction, or one that has its own or none.
    private static func script(_ batch: [Migration]) -> [String] {
        let first = batch.first
        let opens = first?.transaction != ToolPolicy.Transaction.none
        let enforces = first?.enforcesForeignKeys ?? true
        var script = ["PRAGMA foreign_keys = \(enforces ? "ON" : "OFF")"]
        if opens { script.append("BEGIN") }
        script += batch.flatMap(\.statements).map(\.text)
        // GRDB checks all keys before it commits, instead of each as it is written.
        if first?.isDeferred == true, !enforces { script.append("PRAGMA foreign_key_check") }
        if opens { script.append("COMMIT") }
        return script
    }
}
