/// The fewest and simplest generated rows that were found to show a finding, as SQL that can be pasted.
public struct Counterexample: Sendable, Hashable, Codable {
    /// The statements that make the schema in which the migration meets the rows.
    public var schema: [String]
    /// An INSERT for each row.
    public var inserts: [String]
    /// The migration's statements, with the transaction of its tool.
    public var migration: [String]
    /// The line for a shell that runs the migration on a database of this schema and these rows, which is
    /// ``databaseName`` in the current folder; nil where the migration is SQL.
    public var command: String?
    /// Whether the tool's connections read `"text"` as a string if no column has that name; nil if it makes no difference.
    public var readsQuotedText: Bool?
    /// The tables whose rows show it, before and after.
    public var tables: [String]
    /// Further statements that show it, such as `PRAGMA integrity_check`, before and after.
    public var checks: [String] = []
    /// What is run after the migration, such as another start of the tool.
    public var sequels: [Sequel] = []
    /// How many smaller sets of rows were tried.
    public var tried: Int
    /// Whether the search ended because nothing smaller was left to try, and not at its limit.
    public var isSmallest: Bool

    /// Statements that are run together, and commands of the shell such as `.bail on`.
    public struct Sequel: Sendable, Hashable, Codable {
        /// What they are, such as `The tool is started again`.
        public var title: String
        public var statements: [String]

        public init(title: String, statements: [String]) {
            (self.title, self.statements) = (title, statements)
        }
    }

    public static let databaseName = "counterexample.sqlite"

    public init(
        schema: [String], inserts: [String], migration: [String], tables: [String], tried: Int,
        isSmallest: Bool
    ) {
        self.schema = schema
        self.inserts = inserts
        self.migration = migration
        self.tables = tables
        self.tried = tried
        self.isSmallest = isSmallest
    }
}
