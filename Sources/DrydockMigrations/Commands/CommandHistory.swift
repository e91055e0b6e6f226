/// Where a database says which migrations a project's own command has applied.
public struct CommandHistory: Sendable, Hashable {
    /// The table; nil where only the query tells.
    public var table: String?
    /// Returns the identifiers that are applied, a row each, in the order in which they were.
    public var query: String
    /// Whether the query returns only the newest identifiers, and all up to them are applied.
    public var isNewestOnly = false
    /// Whether the table belongs to the tool, so that nothing in it is the app's data.
    public var isOfTool = false
    /// Further tables of the tool.
    public var otherTables: [String] = []
    /// The app's tables to which the tool adds rows by itself after each run; these are not reported.
    public var filledTables: [String] = []

    public init(query: String, table: String? = nil) { (self.query, self.table) = (query, table) }

    private init(
        _ table: String, _ columns: [String], _ query: String, without: String? = nil, newest: Bool = false,
        others: [String] = [], filled: [String] = []
    ) {
        self.init(query: query, table: table)
        (isNewestOnly, isOfTool, otherTables, filledTables) = (newest, true, others, filled)
        self.columns = columns
        missing = without
    }

    /// The columns by which the table is recognised.
    private var columns: [String] = []
    /// A column that another tool's table of this name has.
    private var missing: String?

    /// Returns the history that a database has, if it is one that Drydock knows.
    public static func find(in facts: HistoryFacts) -> CommandHistory? {
        known.first { $0.isIn(facts) }
    }

    private func isIn(_ facts: HistoryFacts) -> Bool {
        guard let table, let found = facts.columns[table.foldedASCII] else { return false }
        return columns.allSatisfy { found.contains($0.foldedASCII) }
            && missing.map { !found.contains($0.foldedASCII) } ?? true
    }

    /// The tables of all tools that Drydock knows.
    package static var tables: [String] { known.flatMap { ($0.table.map { [$0] } ?? []) + $0.otherTables } }

    /// Histories of tools that migrate with a command.
    private static let known = [
        CommandHistory(
            "django_migrations", ["app", "name"],
            "SELECT app || '.' || name FROM django_migrations ORDER BY id",
            filled: ["django_content_type", "auth_permission"]),
        CommandHistory(
            "alembic_version", ["version_num"], "SELECT version_num FROM alembic_version", newest: true),
        CommandHistory(
            "knex_migrations", ["name", "batch"], "SELECT name FROM knex_migrations ORDER BY id",
            others: ["knex_migrations_lock"]),
        CommandHistory("SequelizeMeta", ["name"], "SELECT name FROM SequelizeMeta ORDER BY name"),
        CommandHistory(
            "__EFMigrationsHistory", ["MigrationId"],
            "SELECT MigrationId FROM __EFMigrationsHistory ORDER BY MigrationId",
            others: ["__EFMigrationsLock"]),
        CommandHistory(
            "schema_migrations", ["version", "dirty"], "SELECT version FROM schema_migrations", newest: true),
        CommandHistory(
            "schema_migrations", ["version"], "SELECT version FROM schema_migrations ORDER BY version",
            without: "dirty", others: ["ar_internal_metadata"]),
        CommandHistory(
            "migrations", ["migration", "batch"], "SELECT migration FROM migrations ORDER BY id"),
        CommandHistory(
            "migrations", ["id", "timestamp", "name"], "SELECT name FROM migrations ORDER BY id"),
        CommandHistory(
            "grdb_migrations", ["identifier"], "SELECT identifier FROM grdb_migrations ORDER BY rowid"),
        CommandHistory(
            "_sqlx_migrations", ["version", "success"],
            "SELECT version FROM _sqlx_migrations WHERE success ORDER BY version"),
        CommandHistory(
            "__diesel_schema_migrations", ["version"],
            "SELECT version FROM __diesel_schema_migrations ORDER BY version"),
        CommandHistory(
            "refinery_schema_history", ["version"],
            "SELECT version FROM refinery_schema_history ORDER BY version"),
        CommandHistory(
            "flyway_schema_history", ["version", "installed_rank", "success"],
            """
            SELECT version FROM flyway_schema_history WHERE success AND version IS NOT NULL ORDER BY installed_rank
            """),
        CommandHistory(
            "_prisma_migrations", ["migration_name", "finished_at", "rolled_back_at"],
            """
            SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL \
            ORDER BY started_at
            """),
    ]
}
