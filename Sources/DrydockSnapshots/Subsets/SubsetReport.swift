import DrydockFindings

/// What ``SubsetMaker`` is doing.
public enum SubsetStage: Sendable {
    case choosing(table: String)
    case following
    case copying(table: String)
    case checking
}

/// A small snapshot that was made.
public struct SubsetReport: Sendable {
    public var database: String
    public var output: String
    /// The sizes of the database and of the snapshot, in bytes.
    public var bytes: (before: Int, after: Int) = (0, 0)
    public var tables: [Kept] = []
    public var orphans: [Orphans] = []
    public var masks = MaskSummary()
    /// What is not as in the database, and what was not checked.
    public var notes: [String] = []
    public var seed: UInt64
    public var seconds = 0.0
    /// Whether the file was written. It is not where `--strict-mask` finds a column of which nothing is said.
    public var isWritten = false

    init(_ request: SubsetRequest) {
        (database, output, seed) = (request.database, request.output, request.seed)
    }

    public var rowCount: Int { tables.reduce(0) { $0 + $1.rows } }

    /// The rows of one table.
    public struct Kept: Sendable, Hashable {
        public var table: String
        public var rows: Int
        /// How many the database has; nil where they were not counted.
        public var total: Int?
    }

    /// Rows that refer to one that the database does not have.
    public struct Orphans: Sendable, Hashable {
        public var table: String
        public var columns: [String]
        public var parent: String
        public var rows: Int
    }
}
