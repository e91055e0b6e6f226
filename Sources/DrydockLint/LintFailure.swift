import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DatabaseEngine
import SQLiteSchema

/// A statement that does not compile, or that SQLite refuses on an empty database.
struct LintFailure {
    let refused: RefusedStatement
    let statement: SQLStatement
    let set: MigrationSet
    /// The oldest SQLite that the project supports, where stated.
    let minimum: SQLiteVersion?

    private var migration: Migration { refused.migration }
    private var error: EngineError { refused.error }

    /// Whether the first migration changes something that only an earlier base can have created.
    var isOfBase: Bool {
        SQLiteMessage.noSuchTable.matches(error.message) && set.base == nil
            && migration.identifier == set.migrations.first?.identifier
    }

    /// - Throws: ``EngineError`` where the run was stopped.
    func finding() throws -> Finding {
        let function = UnknownFunction(error, of: migration, on: refused.connection)
        let since = function?.since ?? NewerSQLite(refused)?.since
        let isNewer = minimum.map { minimum in since.map { $0 <= minimum } ?? false } ?? false
        let message =
            SQLiteMessage.isAboutMissingName(error.message)
            ? "\(error.message), on the schema that the earlier migrations make" : error.message
        let general = RefusalHelp(error: error, statement: statement, migration: migration).help
        var finding = Finding(
            .migrationFailed, isNewer ? .warning : .error, message, help: general ?? "",
            migration: migration.identifier, place: .init(statement, offset: error.offset))
        do {
            finding = try refused.explanation()?.added(to: finding) ?? finding
        } catch let error as EngineError where !error.isInterrupt {
            // The remaining steps only add help; the finding stands without them.
        }
        if isOfBase {
            finding.advice =
                "If a database exists before the first migration, name it or its SQL with 'base' in drydock.yml."
        }
        return finding
    }
}
