import DrydockFindings
import SQLiteSchema

/// The checks of a migration that need no run: `transaction-ended` and `pragma-ignored`.
package enum StaticChecks {
    /// Returns the first statement that begins or ends a transaction, which the runner has already opened.
    static func transactionStatement(in migration: Migration) -> SQLStatement? {
        migration.statements.first { statement in
            switch statement.action {
            case .begin, .commit, .rollback: true
            default: false
            }
        }
    }

    /// Returns the statement that GRDB's migrator must not be given, since it would trap or leave half a migration.
    /// Other tools are imitated, faults included.
    package static func refusedStatement(in migration: Migration) -> SQLStatement? {
        migration.isDeferred ? transactionStatement(in: migration) : nil
    }

    /// - Parameter before: the schema that the migration meets, where it is known.
    package static func findings(
        for migration: Migration, of format: any MigrationFormat,
        before: @autoclosure @escaping () -> Schema?
    ) -> [Finding] {
        guard migration.isDeferred else { return ToolStaticChecks(migration, format, before).findings() }
        var findings: [Finding] = []
        if let statement = transactionStatement(in: migration) {
            let word = statement.tokens[0].text(in: statement.source).uppercased()
            findings.append(
                Finding(
                    .transactionEnded, "\(word) is used in a migration that already runs in a transaction",
                    help:
                        "Remove it. Every migration runs in a transaction of its own, so that it is applied completely or not at all.",
                    migration: migration.identifier, place: .init(statement)))
        }
        for (index, statement) in migration.statements.enumerated() {
            if let finding = ignoredPragma(statement, at: index, in: migration) { findings.append(finding) }
        }
        return findings
    }

    /// Reports PRAGMAs that do nothing inside a transaction, or nothing without a VACUUM
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
            let isOn = isTrue(value)
            let writesFollow = migration.statements[(index + 1)...].contains { $0.action.canLoseRows }
            if migration.foreignKeyChecks == .immediate, !isOn, writesFollow {
                return finding(
                    .error,
                    "PRAGMA foreign_keys = \(value) has no effect inside a transaction: foreign keys stay on",
                    "Deleting a parent row, or dropping its table, acts on its children here. Remove 'foreign-keys immediate' to "
                        + "have foreign keys off while the migration runs and checked before the commit.")
            }
            return finding(
                .warning, "PRAGMA foreign_keys = \(value) has no effect inside a transaction",
                "Remove it. Foreign keys are "
                    + (migration.foreignKeyChecks == .immediate ? "on" : "off")
                    + " while this migration runs, whatever it says.")
        case "journal_mode" where value.foldedASCII == "wal":
            // SQLite refuses that in a transaction, and its message is enough.
            return nil
        case _ where layoutPragmas.contains(name.foldedASCII):
            return finding(
                .warning, "PRAGMA \(name) = \(value) has no effect in a migration",
                "Set it when the database is created or opened; it cannot change in a transaction.")
        default: return nil
        }
    }

    /// PRAGMAs that "have no effect" inside a transaction or without a VACUUM (https://www.sqlite.org/pragma.html).
    static let layoutPragmas: Set<String> = [
        "page_size", "auto_vacuum", "encoding", "journal_mode", "wal_autocheckpoint", "locking_mode",
    ]

    package static func isTrue(_ value: String) -> Bool {
        ["1", "on", "yes", "true"].contains(value.foldedASCII)
    }
}

extension StatementAction {
    /// Whether the statement can delete rows, directly or through foreign keys.
    package var canLoseRows: Bool {
        switch self {
        case .dropTable, .delete, .update, .insert: true
        default: false
        }
    }
}
