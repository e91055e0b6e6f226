import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay

/// The options of `drydock verify`.
///
///     var request = VerifyRequest()
///     request.migrations.folder = "db/migrations"
///     request.snapshots.paths = ["v1.sqlite"]
public struct VerifyRequest: Sendable {
    public var migrations = MigrationSource()
    /// The project's own command, which runs its migrations; nil where they are in a folder.
    public var command: ProjectCommand?
    /// The identifier of the last migration to replay; nil for the newest.
    public var upTo: String?
    public var snapshots = SnapshotChoice()
    public var probes = ProbeOptions()
    public var checks = RequestedChecks()
    /// The lock that is checked; nil for none.
    public var lock: String?
    /// The number of snapshots that are replayed at once; at least 1.
    public var jobs = 1
    /// The time limit for one snapshot.
    public var timeout: Duration?
    /// The folder where baselines of snapshots are cached between runs; nil for none.
    public var cacheFolder: String?
    public var isStrict = false
    /// Whether the report has the schema's history.
    public var wantsHistory = false
    /// Findings about drydock.yml itself, such as a misspelt declaration.
    public var findings: [Finding] = []

    /// How the one snapshot, a live database, is to be migrated; nil where nothing is.
    package var rehearsal: Rehearsal?
    /// Where results of this run go, and those that are known already are; nil to keep none.
    package var keeping: KeptReplays?

    public init() {}

    /// Whether what only all snapshots show is left to a merge of the parts.
    package var isPart: Bool { snapshots.listed?.isPart ?? false }
}

/// What is checked of each step besides its rules.
public struct RequestedChecks: Sendable {
    /// Whether every step is undone and run again.
    public var rollback = false
    /// Whether the tool is started again on each state that a crash during a step can leave.
    public var crashes = false
    /// Whether a power cut between any two writes counts as a crash. It also turns ``crashes`` on.
    public var crashWrites = false
    /// How many such states of a step are tried.
    public var crashStates = 1000
    /// Files of other SQLite libraries, on which every step is repeated.
    public var sqliteLibraries: [String] = []
    /// Whether the whole database is checked after a replay, rather than only what the replay touched.
    public var isFull = false
    /// The `drydock` program, which loads the libraries; nil for this process's own.
    package var libraryProgram: String?

    public init() {}
}

/// What becomes of the end of a replay on a live database.
package enum Rehearsal: Sendable {
    case isShown
    case isApplied
}

/// Results of replays that are kept for a later run.
package struct KeptReplays: Sendable {
    package var results: KeptResults
    /// Whether they are kept without values.
    package var isRedacted = false

    package init(_ results: KeptResults) { self.results = results }
}
