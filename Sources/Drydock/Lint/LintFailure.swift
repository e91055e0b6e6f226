import DatabaseEngine
import SQLiteSchema

/// A statement that does not compile, or that SQLite refuses on an empty database.
struct LintFailure {
    let statement: SQLStatement
    let error: EngineError
    let migration: Migration
    let set: MigrationSet
    /// The oldest SQLite that the project supports, where it says so.
    let minimum: SQLiteVersion?

    /// Whether the first migration changes what only a base can have made.
    var isOfBase: Bool {
        error.message.hasPrefix("no such table") && set.base == nil
            && migration.identifier == set.migrations.first?.identifier
    }

    func finding(on connection: any Connection) -> Finding {
        let failure = MigrationFailure(
            migration: migration,
            error: StatementFailure(index: statement.index, error: error, mayQuoteValues: false))
        let function = UnknownFunction(error, on: connection)
        var help = function?.help ?? failure.help(for: error, in: statement)
        if isOfBase {
            help =
                "If a database is there before the first migration, name it or its SQL with 'base' in drydock.yml."
        }
        let message =
            error.message.hasPrefix("no such") && !error.message.contains("function")
            ? "\(error.message), on the schema that the migrations before make" : error.message
        let isNewer = function?.isSupported(since: minimum) ?? false
        return Finding(
            .migrationFailed, isNewer ? .warning : .error, message, help: help,
            migration: migration.identifier, place: .init(statement, offset: error.offset))
    }
}
