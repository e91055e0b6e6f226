/// What a migration tool does around the statements of a file.
public struct ToolPolicy: Sendable, Hashable, Codable {
    /// What runs in one transaction.
    public enum Transaction: String, Sendable, Hashable, CaseIterable, Codable {
        /// Every migration has its own.
        case each
        /// All pending migrations share one.
        case all
        /// The tool opens no transaction: a file's own BEGIN and PRAGMA count.
        case none
    }

    /// What happens to a pending migration that sorts before an applied one.
    public enum LateMigrations: String, Sendable, Hashable, CaseIterable, Codable {
        /// The migration runs, as under GRDB.
        case run
        /// The migration never runs: the tool looks only after the newest applied version.
        case skip
        /// The tool stops and runs nothing.
        case refuse
    }

    /// What the tool does if a released file has changed.
    public enum EditedMigrations: Sendable, Hashable, Codable {
        case refuse
        /// The tool does not compare, or only warns.
        case accept
    }

    public var transaction: Transaction
    /// Whether the tool's connections enforce foreign keys.
    public var foreignKeys: Bool
    /// Whether its SQLite reads `"text"` as a string if no column has that name; nil to do what the engine does.
    public var doubleQuotedStrings: Bool?
    public var late: LateMigrations
    public var edited: EditedMigrations
    /// Whether the history is written in the migration's transaction, or after it.
    public var recordsInTransaction: Bool
    /// Whether GRDB's own migrator runs the migrations, through the engine.
    public var isRunByEngine = false
    /// Whether the tool orders whatever is pending itself, as by dependencies: then no migration is late.
    public var isOrderedByTool = false

    public init(
        transaction: Transaction = .each, foreignKeys: Bool, doubleQuotedStrings: Bool? = true,
        late: LateMigrations = .run, edited: EditedMigrations = .refuse, recordsInTransaction: Bool = true
    ) {
        self.transaction = transaction
        self.foreignKeys = foreignKeys
        self.doubleQuotedStrings = doubleQuotedStrings
        self.late = late
        self.edited = edited
        self.recordsInTransaction = recordsInTransaction
    }
}
