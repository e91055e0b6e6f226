import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// Builds the schema before each statement of a migration set, on an empty database.
///
/// Statements that change the schema or the connection are run; those that change rows are only compiled, so that rows
/// are neither needed nor created. After a statement, only the part of sqlite_schema is read that the statement can
/// have changed.
struct LintReplay {
    let set: MigrationSet
    let connection: any Connection
    private(set) var follower: SchemaFollower
    private var writesSchema = false
    /// The folded names of temporary tables and views.
    private(set) var temporaries: Set<String> = []

    /// Whether the connection has settings or databases that another one would not have.
    private var isUnlikeOthers = false

    /// Whether another connection on the same database could go on from here.
    var canBeTakenUp: Bool { !isUnlikeOthers && temporaries.isEmpty && !connection.isInTransaction }

    /// Continues where an earlier walk stopped, on a database in the state of that moment.
    init(set: MigrationSet, connection: any Connection, from start: LintCheckpoint) throws {
        self.set = set
        self.connection = connection
        follower = start.follower
        if start.position > 0 { try restoreForeignKeys(set.migrations[start.position - 1]) }
    }

    init(set: MigrationSet, connection: any Connection) throws {
        self.set = set
        self.connection = connection
        follower = SchemaFollower(historyTables: set.format.ownTables)
        for entry in set.format.historySetup { try? connection.execute(entry.sql) }
        if set.policy.isRunByEngine {
            try connection.execute(
                "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        }
        try readAll()
    }

    var schema: Schema { follower.schema }

    /// Opens what the tool opens before a migration's first statement.
    func begin(_ migration: Migration) throws {
        if set.policy.isRunByEngine {
            try connection.execute("PRAGMA foreign_keys = \(migration.enforcesForeignKeys ? "ON" : "OFF")")
        }
        if migration.transaction != .none { try connection.execute("BEGIN") }
    }

    /// Ends what is open, and restores the tool's settings for the next migration.
    mutating func end(_ migration: Migration) throws {
        if connection.isInTransaction {
            do {
                try connection.execute("COMMIT")
            } catch {
                try connection.execute("ROLLBACK")
                try readAll()
            }
        }
        try restoreForeignKeys(migration)
        if writesSchema {
            try connection.execute("PRAGMA writable_schema = OFF")
            writesSchema = false
        }
    }

    private func restoreForeignKeys(_ migration: Migration) throws {
        let foreignKeys = set.policy.isRunByEngine ? false : migration.foreignKeys
        try connection.execute("PRAGMA foreign_keys = \(foreignKeys ? "ON" : "OFF")")
    }

    enum Outcome {
        case done
        /// The statement does not compile; the schema is unchanged.
        case refused(EngineError)
        /// The schema after the statement cannot be known.
        case lost(EngineError)
    }

    /// Runs a statement with a resolved action, or only compiles it.
    mutating func run(_ statement: SQLStatement, _ action: StatementAction) throws -> Outcome {
        do {
            try Sandbox.check(statement)
            connection.statements?.begin(statement)
            switch action {
            case .begin, .commit, .rollback, .savepoint, .release, .rollbackTo:
                // A separate rule reports a misplaced one.
                try? connection.execute(statement.executedText)
                if case .rollback = action { try readAll() }
                if case .rollbackTo = action { try readAll() }
            case .pragma(_, let name, let value): try pragma(name.foldedASCII, value, statement)
            case .vacuum, .reindex, .analyze, .explain, .detach: break
            case .attach:
                isUnlikeOthers = true
                try Sandbox.run(statement, on: connection)
            case .insert, .update, .delete, .select: try change(statement, action)
            default:
                try connection.execute(statement.executedText)
                try read(after: action)
            }
            if action.mayChangeTemporaries { try readTemporaries() }
            connection.statements?.end()
            return .done
        } catch let error as EngineError where !error.isInterrupt {
            connection.statements?.end()
            switch action {
            case .insert, .update, .delete, .select, .pragma, .attach, .detach, .vacuum:
                return .refused(error)
            default: return .lost(error)
            }
        }
    }

    private mutating func pragma(_ name: String, _ value: String?, _ statement: SQLStatement) throws {
        let effective: Set<String> = [
            "foreign_keys", "defer_foreign_keys", "legacy_alter_table", "writable_schema",
            "recursive_triggers",
            "case_sensitive_like", "user_version",
        ]
        guard value != nil, effective.contains(name) else { return }
        try connection.execute(statement.executedText)
        if name == "writable_schema" { writesSchema = true }
        if Self.lasting.contains(name) { isUnlikeOthers = true }
    }

    /// The settings that a connection keeps after the migration.
    private static let lasting: Set<String> = [
        "legacy_alter_table", "recursive_triggers", "case_sensitive_like",
    ]

    private mutating func change(_ statement: SQLStatement, _ action: StatementAction) throws {
        let isSchema = ["sqlite_schema", "sqlite_master"].contains(action.changedTable?.foldedASCII)
        if isSchema, writesSchema {
            try connection.execute(statement.executedText)
            return try readAll()
        }
        _ = try connection.prepare(statement.executedText)
    }

    // MARK: - The schema

    private mutating func read(after action: StatementAction) throws {
        switch action {
        case .createTable(let name, false, _), .createVirtualTable(let name, _), .createIndex(let name, _),
            .createView(let name, false), .createTrigger(let name, _, false), .addColumn(let name, _):
            try read(named: name.name)
        case .createTable, .createView, .createTrigger: break
        case .dropTable(let name), .dropView(let name): if name.isMain { follower.dropTable(name.name) }
        case .dropIndex(let name): if name.isMain { follower.dropIndex(name.name) }
        case .dropTrigger(let name): if name.isMain { follower.dropTrigger(name.name) }
        default: try readAll()
        }
    }

    private static let columns = "SELECT type, name, tbl_name, sql FROM main.sqlite_schema"

    private mutating func read(named name: String) throws {
        let sql = Self.columns + " WHERE name = ?1 COLLATE NOCASE"
        follower.take(try connection.rows(sql, [SQLValue(name)], Self.row))
    }

    private mutating func readAll() throws {
        follower.take(all: try connection.rows(Self.columns, [], Self.row))
    }

    private mutating func readTemporaries() throws {
        let sql = "SELECT name FROM temp.sqlite_schema WHERE type IN ('table', 'view')"
        temporaries = Set(try connection.rows(sql) { $0.string(0).foldedASCII })
    }

    private static func row(_ row: any PreparedStatement) -> SchemaRow {
        SchemaRow(type: row.string(0), name: row.string(1), table: row.string(2), sql: row.optionalString(3))
    }
}
