import SQLiteSchema

/// What can be said of a migration before it runs: `transaction-ended` and `pragma-ignored`.
enum StaticChecks {
    /// The first statement that begins or ends a transaction, which the runner has opened already.
    static func transactionStatement(in migration: Migration) -> SQLStatement? {
        migration.statements.first { statement in
            switch statement.action {
            case .begin, .commit, .rollback: true
            default: false
            }
        }
    }

    static func findings(for migration: Migration) -> [Finding] {
        var findings: [Finding] = []
        if let statement = transactionStatement(in: migration) {
            let word = statement.tokens[0].text(in: statement.source).uppercased()
            findings.append(
                Finding(
                    .transactionEnded, "\(word) stands in a migration that already runs in a transaction",
                    help:
                        "Remove it. Every migration runs in a transaction of its own, so that it happens whole or not at all.",
                    migration: migration.identifier, place: .init(statement)))
        }
        for (index, statement) in migration.statements.enumerated() {
            if let finding = ignoredPragma(statement, at: index, in: migration) { findings.append(finding) }
        }
        return findings
    }

    /// PRAGMAs that do nothing inside a transaction, or nothing without a VACUUM
    /// (https://www.sqlite.org/pragma.html: "This pragma is a no-op within a transaction").
    private static func ignoredPragma(_ statement: SQLStatement, at index: Int, in migration: Migration)
        -> Finding?
    {
        guard case .pragma(_, let name, let value?) = statement.action else { return nil }
        func finding(_ severity: Finding.Severity, _ message: String, _ help: String) -> Finding {
            Finding(
                .pragmaIgnored, severity, message, help: help, migration: migration.identifier,
                place: .init(statement))
        }
        switch name.foldedASCII {
        case "foreign_keys":
            let isOn = ["1", "on", "yes", "true"].contains(value.foldedASCII)
            let writesFollow = migration.statements[(index + 1)...].contains { $0.action.canLoseRows }
            if migration.foreignKeyChecks == .immediate, !isOn, writesFollow {
                return finding(
                    .error,
                    "PRAGMA foreign_keys = \(value) has no effect inside a transaction: foreign keys stay on",
                    "Dropping or deleting a parent row acts on its children here. Remove 'foreign-keys immediate' to "
                        + "have foreign keys off while the migration runs and checked before the commit.")
            }
            return finding(
                .warning, "PRAGMA foreign_keys = \(value) has no effect inside a transaction",
                "Remove it. Foreign keys are "
                    + (migration.foreignKeyChecks == .immediate ? "on" : "off")
                    + " while this migration runs, whatever it says.")
        case "page_size", "auto_vacuum", "encoding", "journal_mode", "wal_autocheckpoint", "locking_mode":
            return finding(
                .warning, "PRAGMA \(name) = \(value) has no effect in a migration",
                "Set it when the database is made or opened; it cannot change in a transaction.")
        default: return nil
        }
    }
}

extension StatementAction {
    /// Whether the statement can take rows away, its own or through foreign keys.
    var canLoseRows: Bool {
        switch self {
        case .dropTable, .delete, .update, .insert: true
        default: false
        }
    }
}
