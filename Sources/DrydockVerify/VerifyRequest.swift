import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay

/// The options of `drydock verify`.
public struct VerifyRequest: Sendable {
    public var migrationsFolder = "Migrations"
    public var snapshotsFolder = "Snapshots"
    /// Whether the folder of snapshots was named, so that it must have one.
    public var isSnapshotsFolderNamed = true
    /// Paths of single snapshots; empty for all in the folder.
    public var snapshots: [String] = []
    /// The identifier of the last migration to replay; nil for the newest.
    public var upTo: String?
    /// The number of snapshots that are replayed at once; at least 1.
    public var jobs = 1
    /// The time limit for one snapshot.
    public var timeout: Duration?
    /// Whether every step is undone and run again.
    public var checksRollback = false
    /// Whether the tool is started again on each state that a crash during a step can leave.
    public var checksCrashes = false
    /// Whether a power cut between any two writes counts as a crash. It also turns ``checksCrashes`` on.
    public var checksCrashWrites = false
    /// How many such states of a step are tried.
    public var crashStates = 1000
    /// Files of other SQLite libraries, on which every step is repeated.
    public var sqliteLibraries: [String] = []
    public var isStrict = false
    public var probes = ProbeOptions()
    /// The folder where baselines of snapshots are cached between runs; nil for none.
    public var cacheFolder: String?
    /// Whether the whole database is checked after a replay, rather than only what the replay touched.
    public var isFullCheck = false
    /// The lock that is checked; nil for none.
    public var lock: String?
    /// The name of the migrations' format; nil to detect it.
    public var migrationFormat: String?
    /// The project's settings for its migrations besides the files.
    public var format = FormatOptions()
    /// The project's own command, which runs its migrations; nil where they are in a folder.
    public var command: ProjectCommand?
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []
    /// Declarations from drydock.yml, by migration identifier.
    public var declarations: [String: [Declaration]] = [:]
    /// Whether the report has the schema's history.
    public var wantsHistory = false
    /// Findings about drydock.yml itself, such as a misspelt declaration.
    public var findings: [Finding] = []

    /// The `drydock` program, which loads the libraries; nil for this process's own.
    package var libraryProgram: String?
    /// Whether the one snapshot is a live database to be migrated; the end of its replay is then kept.
    package var isRehearsal = false
    /// Whether the end of a rehearsal is written into the live database.
    package var isApplied = false

    /// The snapshots, in place of ``snapshots`` and ``snapshotsFolder``, just as they are; one that is missing is reported.
    package var listed: [String]?
    /// Whether ``listed`` is a part of a list: what only the whole shows is left to the merge of the parts.
    package var isPart = false
    /// Whether rows are generated where the options ask for it; of several parts one does.
    package var makesProbes = true
    /// Results that are known already, and where those of this run go; nil to keep none.
    package var kept: KeptResults?
    /// Whether the results are kept without values.
    package var redactsKept = false

    public init() {}
}
