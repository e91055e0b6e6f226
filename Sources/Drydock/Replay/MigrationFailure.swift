import DatabaseEngine
import SQLiteSchema

/// Why a migration did not run, with what to do about it.
struct MigrationFailure {
    let migration: Migration
    let error: any Error

    /// The check of the whole database before the commit refused it.
    var isForeignKeyCheck: Bool { (error as? EngineError)?.isForeignKeyCheckFailure ?? false }

    /// Nil for an error that no statement and no check of the migration caused.
    var finding: Finding? {
        switch error {
        case let failure as StatementFailure:
            let statement = migration.statements[failure.index]
            return Finding(
                .migrationFailed, "\(migration.identifier) fails: \(failure.error.message)",
                help: help(for: failure.error), migration: migration.identifier,
                place: .init(statement, offset: failure.error.offset))
        case let error as EngineError where error.isForeignKeyCheckFailure:
            return Finding(
                .migrationFailed, "\(migration.identifier) fails its foreign-key check",
                help:
                    "A row must not reference what does not exist. Delete or mend such rows in the migration.",
                migration: migration.identifier, place: .init(file: migration.path))
        case let error as EngineError where !error.isCorruption:
            return Finding(
                .migrationFailed, "\(migration.identifier) fails: \(error.message)",
                migration: migration.identifier,
                place: .init(file: migration.path))
        default: return nil
        }
    }

    private func help(for error: EngineError) -> String {
        let message = error.message
        if let name = message.dropping(prefix: "no such function: ") {
            return
                "If the app registers it, give Drydock a stand-in in drydock.yml:\n  functions:\n    \(name): {returns: null}"
        }
        if let name = message.dropping(prefix: "no such collation sequence: ") {
            return
                "If the app registers it, give Drydock a stand-in in drydock.yml:\n  collations:\n    \(name): nocase"
        }
        if message.hasPrefix("UNIQUE constraint failed") {
            return "Existing rows share these values. Merge or delete them first, and declare it."
        }
        if message.hasPrefix("NOT NULL constraint failed") || message.contains("Cannot add a NOT NULL column")
        {
            return "Existing rows have no value for it. Give the column a DEFAULT, or fill it first."
        }
        if message.hasPrefix("CHECK constraint failed") {
            return "Existing rows do not meet it. Mend them first, and declare it."
        }
        if message.hasPrefix("no such column: \""), message.contains("should this be a string literal") {
            return "Write string literals in single quotes; GRDB turns double-quoted ones off."
        }
        return "The whole migration was rolled back, as it would be for users."
    }
}

extension EngineError {
    /// A violation that `PRAGMA foreign_key_check` found, or a key that it cannot check.
    var isForeignKeyCheckFailure: Bool {
        isForeignKeyViolation || message.hasPrefix("foreign key mismatch")
    }
}

extension String {
    fileprivate func dropping(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
