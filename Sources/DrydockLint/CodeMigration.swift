import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// A migration in the app's own language, which linting skips: the schema after it is assumed to be the one before, the
/// best guess.
struct CodeMigration {
    let migration: Migration
    /// Whether the migration is among those to be linted.
    let isLinted: Bool
    /// Later statements that were to be linted and name something that does not exist.
    var unknown: [(statement: SQLStatement, error: EngineError)] = []
    /// Whether there were such statements, linted or not.
    var isMissed = false

    init(_ migration: Migration, isLinted: Bool) {
        self.migration = migration
        self.isLinted = isLinted
    }

    /// The finding about the migration. A released one matters only where it leaves something unread.
    var finding: Finding? {
        guard isLinted || isMissed else { return nil }
        let first = unknown.first.map { statement, error in
            " \(counted(unknown.count, "statement")) could not be linted, the first at "
                + "\(statement.source.name):\(statement.location.line): \(error.message)."
        }
        return Finding(
            .migrationInCode, .warning,
            "\(migration.identifier) is written in code and was not linted; later migrations were linted as if it did not change the schema",
            help: (first.map { "After it\($0) " } ?? "")
                + "Replay it with 'drydock verify' from a snapshot that the app has upgraded past it.",
            migration: migration.identifier, place: .init(file: migration.path))
    }
}

extension [CodeMigration] {
    /// The migrations that were to be linted, and the later statements that could not be.
    var notChecked: [NotChecked] {
        var entries: [NotChecked] = []
        let unread = filter(\.isLinted).map(\.migration.path)
        if !unread.isEmpty {
            entries.append(
                NotChecked(.migrationInCode, .notSQL(unread)))
        }
        let unknown = flatMap(\.unknown)
        if let (statement, error) = unknown.first {
            entries.append(
                NotChecked(
                    .migrationInCode,
                    .behindCode(
                        statements: unknown.count, file: statement.source.name,
                        line: statement.location.line, message: error.message)))
        }
        return entries
    }
}

extension EngineError {
    /// Whether SQLite does not find a name or finds it taken, rather than refusing the syntax.
    var isOfUnknownName: Bool { SQLiteMessage.isAboutNames(message) }
}
