import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// Why a migration did not run, with what to do about it.
package struct MigrationFailure {
    package let migration: Migration
    package let error: any Error

    package init(migration: Migration, error: any Error) {
        self.migration = migration
        self.error = error
    }

    /// Whether the check of the whole database before the commit refused the migration.
    package var isForeignKeyCheck: Bool { (error as? EngineError)?.isForeignKeyCheckFailure ?? false }

    /// Returns a finding that also names the code beside the migration that was not run.
    func mentioningCode(_ finding: Finding) -> Finding {
        guard !migration.isOfCommand else { return finding }
        let code = NeighbouringCode.files(beside: migration.path)
        guard !code.isEmpty else { return finding }
        var finding = finding
        finding.advice +=
            (finding.advice.isEmpty ? "" : "\n")
            + "\(code.joined(separator: ", ")) beside it is code of the same version and was not run here. If it "
            + "fixes such rows first, keep a snapshot that the app has upgraded past \(migration.identifier)."
        return finding
    }

    /// Nil for an error that was not caused by a statement or a check of the migration.
    package var finding: Finding? {
        var finding = MemoryStop(error)?.finding(migration) ?? findingOfFailure
        finding?.resultCode = engineError?.extendedCode
        finding?.add(reason: engineError?.messageWithoutValues)
        return finding
    }

    /// SQLite's own error; nil where it was none.
    var engineError: EngineError? {
        switch error {
        case let failure as StatementFailure: failure.error
        case let failure as RunnerFailure: failure.error as? EngineError
        default: error as? EngineError
        }
    }

    private var findingOfFailure: Finding? {
        switch error {
        case let failure as StatementFailure:
            let statement = migration.statements[failure.index]
            return Finding(
                .migrationFailed, Sentence("\(migration.identifier) fails: \(failure.sentence)"),
                help: help(for: failure.error, in: statement), migration: migration.identifier,
                place: .init(statement, offset: failure.error.offset))
        case let failure as RunnerFailure: return finding(failure)
        case let failure as CommandFailure: return failure.finding(migration)
        case let error as EngineError where error.isForeignKeyCheckFailure:
            return Finding(
                .migrationFailed, "\(migration.identifier) fails its foreign-key check",
                help:
                    "A row must not reference what does not exist. Give such rows a parent that exists, or NULL, in the migration.",
                migration: migration.identifier, place: .init(file: migration.path))
        case let error as EngineError where !error.isCorruption:
            var finding = Finding(
                .migrationFailed, Sentence("\(migration.identifier) fails: \(error.sentence)"),
                migration: migration.identifier,
                place: .init(file: migration.path))
            if migration.closureChecks != nil {
                finding.advice = help(for: error)
                finding.place?.statement = error.sql
            }
            return finding
        default: return nil
        }
    }

    /// - Parameter statement: the statement that failed; nil where a closure ran it.
    private func help(for error: EngineError, in statement: SQLStatement? = nil) -> Help {
        if let help = RefusalHelp(error: error, statement: statement, migration: migration).help {
            return help
        }
        switch migration.transaction {
        case .each: return "The whole migration was rolled back, as it would be for users."
        case .all:
            return
                "Every pending migration was rolled back with it, as it would be for users: they share a transaction."
        case .none: return "What ran before it is kept: the tool opens no transaction."
        }
    }

    /// Returns the finding where the tool itself could not commit, or write its history.
    private func finding(_ failure: RunnerFailure) -> Finding {
        let (what, help) =
            switch failure.phase {
            case .record:
                (
                    "cannot be recorded",
                    "A migration must not touch the table in which its tool keeps the history."
                )
            case .commit where (failure.error as? EngineError)?.isForeignKeyViolation == true:
                (
                    "fails when its transaction is committed",
                    "A row must not reference what does not exist. Give such rows a parent that exists, or NULL, in the migration."
                )
            default:
                (
                    "fails when its transaction is committed",
                    "The tool opens and ends the transaction; a file must not."
                )
            }
        return Finding(
            .migrationFailed, Sentence("\(migration.identifier) \(what): \(Sentence(of: failure))"),
            help: help,
            migration: migration.identifier, place: .init(file: migration.path))
    }
}

extension EngineError {
    /// Whether the error is a violation that `PRAGMA foreign_key_check` found, or a key that it cannot check.
    var isForeignKeyCheckFailure: Bool {
        // The refusal of a single statement is not such a check.
        isForeignKeyViolation && sql.map { $0.hasPrefix("COMMIT") } ?? true
            || SQLiteMessage.foreignKeyMismatch.matches(message)
    }
}
