/// What a migration tool does around the statements of a file.
public struct ToolPolicy: Sendable, Hashable {
    /// What runs in one transaction.
    public enum Transaction: String, Sendable, Hashable, CaseIterable {
        /// Every migration has its own.
        case each
        /// All pending migrations share one.
        case all
        /// The tool opens none: a file's own BEGIN and PRAGMA count.
        case none
    }

    /// What becomes of a pending migration that sorts before an applied one.
    public enum LateMigrations: String, Sendable, Hashable, CaseIterable {
        /// It runs, as GRDB runs it.
        case run
        /// It never runs: the tool looks behind the newest applied version alone.
        case skip
        /// The tool stops and runs nothing.
        case refuse
    }

    /// What the tool does when a released file is not what it was.
    public enum EditedMigrations: Sendable, Hashable {
        case refuse
        /// The tool does not look, or only warns.
        case accept
    }

    public var transaction: Transaction
    /// Whether its connections enforce foreign keys.
    public var foreignKeys: Bool
    /// Whether its SQLite reads `"text"` that names nothing as a string; nil for what the engine does.
    public var doubleQuotedStrings: Bool?
    public var late: LateMigrations
    public var edited: EditedMigrations
    /// Whether the history is written in the transaction of the migration, or after it.
    public var recordsInTransaction: Bool
    /// GRDB's own migrator runs the migrations, through the engine.
    public var isRunByEngine = false

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
