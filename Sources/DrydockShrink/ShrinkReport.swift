import DrydockFindings
import DrydockReplay
import DrydockVerify

/// What a shrink is doing.
public enum ShrinkStage: Sendable {
    /// The snapshots are replayed, to find the step.
    case replaying
    /// A sample of so many rows is tried.
    case sampling(rows: Int)
    /// Of so many of something, such as "rows", all that is not needed is left out.
    case dropping(String, of: Int)
    /// So many values are replaced where the finding does not need them.
    case replacing(values: Int)
    /// The files are written, and verified.
    case writing
}

/// A finding with the smallest database and migration that still show it.
public struct ShrunkFinding: Sendable {
    /// The finding as the small database shows it; its ``Finding/counterexample`` has the rows.
    public var finding: Finding
    /// The snapshot that it was found on.
    public var snapshot: String
    /// The migration that it is about, or the last one if it is about none.
    public var migration: String
    /// The pending migrations that are needed.
    public var migrations: [String]
    /// The size of the snapshot, and of the database that was made, in bytes.
    public var bytes: (before: Int, after: Int)
    public var rowCount: Int
    public var tables: [String]
    public var statements: (before: Int, after: Int)
    /// The columns whose values are still those of the snapshot, as "table.column"; nil where all were to be kept.
    public var keptColumns: [String]?
    /// How often the step was run.
    public var runs: Int
    /// Whether the search finished, rather than reaching a limit.
    public var isSmallest: Bool
    /// Whether the statement, and what it did to the rows, are those of the snapshot's own finding; false where no sample of
    /// its rows showed that.
    public var isSameCause: Bool
    /// Whether the script was run, and its rows are those of the snapshot that was written.
    public var isScriptExact: Bool
    public var seconds: Double
    /// What `drydock verify` says of the folder that was written.
    public var project: Project

    public struct Project: Sendable {
        /// Whether `drydock verify` reports the same finding there.
        public var isVerified: Bool
        /// Whether the migration's file is the complete one, since verify does not report the finding with the
        /// shortened one.
        public var isMigrationWhole: Bool
        /// The rules of other errors and warnings that it reports there, since so much was left out.
        public var others: [Rule] = []
        /// The settings that it needs; all but the libraries are in the folder's drydock.yml.
        public var settings = ShrunkSettings()
    }
}
