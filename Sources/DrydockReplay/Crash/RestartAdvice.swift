import DrydockMigrations

/// How a migration becomes one that can be killed.
package enum RestartAdvice {
    package static func help(for migration: Migration, of format: any MigrationFormat) -> String {
        let twice =
            "make each statement safe to run twice, as CREATE TABLE IF NOT EXISTS is. A rebuild of a table cannot be."
        guard migration.transaction == .none else {
            return
                "\(format.name) commits the migration before it records it, so the next start runs it again: \(twice)"
        }
        if let mark = migration.transactionSwitch {
            return "Let \(format.name) run it in a transaction (without \(mark)), or \(twice)"
        }
        if format.policy.transaction == .none {
            return
                "\(format.name) opens no transaction: write BEGIN; before the statements of the file and COMMIT; after them, "
                + "with any PRAGMA before the BEGIN. Or \(twice)"
        }
        return "Remove what makes \(format.name) run the file without a transaction, or \(twice)"
    }
}
