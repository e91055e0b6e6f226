/// How one snapshot was replayed.
public struct ReplaySummary: Sendable, Codable {
    public var snapshot: String
    /// The name in reports: ``SnapshotNames``.
    public var name: String
    /// Whether its rows were generated.
    public var isProbe = false
    /// The number of rows that were generated.
    public var rowsGenerated = 0
    /// What the database was, if it had applied no migration of the folder.
    public var start = Start.unknown
    /// The newest migration that the snapshot had applied; nil for none.
    public var from: String?
    /// The newest migration that it has at the end of the replay.
    public var to: String?
    public var steps: [Step] = []
    /// The number of pending migrations that were not run, since the replay stopped before them.
    public var pendingCount = 0
    /// The number of rows compared with the state before, over all steps.
    public var rowsCompared = 0
    /// The number of tables without a changed page, so that no row had to be read, over all steps.
    public var tablesUntouched = 0
    /// The number of tables whose rows could not be compared, over all steps; nil for none.
    public var tablesNotCompared: Int?
    /// True if no table of the snapshot has a row; nil if one has, or if that was not checked.
    public var hasNoRows: Bool?
    /// The source from which the snapshot's own faults are known.
    public var baseline = BaselineSource.checked
    /// The number of tables that `integrity_check` read after the replay; nil for the whole database.
    public var tablesChecked: Int?
    /// The number of tables with an integrity that could not be checked in the end.
    public var integrityUnchecked = 0
    /// The number of states that a kill can leave on which the tool was started again; nil if that was not requested.
    public var crashStates: Int?
    /// The number of growths of a file and of locks that failed, after which the tool was started again.
    public var crashFaults: Int?
    /// The number of power cuts between two writes that were tried; nil if that was not requested.
    public var crashPowerCuts: Int?
    /// The versions of the other SQLite libraries on which every step was repeated; nil if none was requested.
    public var sqliteVersions: [String]?
    /// Wall-clock seconds, checks included.
    public var seconds: Double = 0

    public init(snapshot: String) {
        self.snapshot = snapshot
        name = SnapshotNames([snapshot]).name(of: snapshot)
    }

    /// The kind of a database that has applied no migration of the folder.
    public enum Start: String, Sendable, Codable {
        /// It holds nothing, or only its tool's history.
        case empty
        /// It holds what existed before the first migration.
        case base
        /// It holds what no migration of the folder created, or could not be read.
        case unknown
    }

    public enum BaselineSource: String, Sendable, Codable {
        /// Every check was made in this run.
        case checked
        /// An earlier run made them, and the file's size, times and inode are unchanged.
        case knownByStat = "known-by-stat"
        /// An earlier run made them on the same content.
        case knownByContent = "known-by-content"
    }

    public struct Step: Sendable, Codable {
        public var migration: String
        /// Wall-clock seconds that the migration took, without the checks.
        public var seconds: Double
        /// The number of database pages with bytes that differ from before the step.
        public var pagesWritten: Int
        public var bytesWritten: Int
        /// The seconds of each statement, in order.
        public var statementSeconds: [Double]

        public init(
            migration: String, seconds: Double, pagesWritten: Int, bytesWritten: Int,
            statementSeconds: [Double]
        ) {
            self.migration = migration
            self.seconds = seconds
            self.pagesWritten = pagesWritten
            self.bytesWritten = bytesWritten
            self.statementSeconds = statementSeconds
        }
    }
}
