import DrydockMigrations
import SQLiteSchema

/// How a migration becomes one that can be killed.
package enum RestartAdvice {
    private static let twice =
        "make each statement safe to run twice, as CREATE TABLE IF NOT EXISTS is. A table rebuild cannot be made safe."

    package static func help(for migration: Migration, of format: any MigrationFormat) -> String {
        let ends = migration.statements.first { $0.action == .commit || $0.action == .rollback }
        guard migration.transaction == .none else {
            if let ends {
                return
                    "\(line(ends)) ends the transaction of \(format.name), so what follows is committed by itself: remove it, "
                    + "and the BEGIN after it. Or \(twice)"
            }
            return
                "\(format.name) commits the migration before it records it, so the next start runs it again: \(twice)"
        }
        if let lonely = migration.statements.first(where: \.action.needsNoTransaction) {
            if case .pragma(_, let name, _) = lonely.action, name.foldedASCII == "foreign_keys" {
                return "\(line(lonely)) has an effect only outside a transaction, so \(twice)"
            }
            return
                "\(line(lonely)) cannot run in a transaction: move it to a file of its own, and let \(format.name) run the rest "
                + "in one. Or \(twice)"
        }
        let own = ends == nil ? "" : ", and the file's own BEGIN and COMMIT"
        if let mark = migration.transactionSwitch {
            return "Let \(format.name) run it in a transaction (without \(mark)\(own)), or \(twice)"
        }
        if format.policy.transaction == .none {
            guard ends == nil else {
                return
                    "\(format.name) opens no transaction, and records the migration after the file's own COMMIT: \(twice)"
            }
            return
                "\(format.name) opens no transaction: write BEGIN; before the statements of the file and COMMIT; after them, "
                + "with any PRAGMA before the BEGIN. Or \(twice)"
        }
        return "Remove what makes \(format.name) run the file without a transaction\(own), or \(twice)"
    }

    /// Such as `VACUUM (line 3)`.
    private static func line(_ statement: SQLStatement) -> String {
        let name =
            switch statement.action {
            case .pragma(_, let name, _): "PRAGMA \(name)"
            case .commit: "COMMIT"
            case .rollback: "ROLLBACK"
            case .vacuum: "VACUUM"
            case .attach: "ATTACH"
            default: "DETACH"
            }
        return "\(name) (line \(statement.location.line))"
    }
}

extension StatementAction {
    /// Whether SQLite refuses or ignores the statement in a transaction.
    fileprivate var needsNoTransaction: Bool {
        switch self {
        case .vacuum, .detach: true
        case .pragma(_, let name, let value?):
            ["journal_mode", "foreign_keys"].contains(name.foldedASCII) && !value.isEmpty
        default: false
        }
    }
}
