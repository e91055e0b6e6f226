import DrydockFindings
import DrydockMigrations
import DatabaseEngine

/// What `drydock verify` is asked to do.
public struct VerifyRequest: Sendable {
    public var migrationsFolder = "Migrations"
    public var snapshotsFolder = "Snapshots"
    /// Paths of single snapshots; empty for all of the folder.
    public var snapshots: [String] = []
    /// The identifier of the last migration to replay; nil for the newest.
    public var upTo: String?
    /// How many snapshots are replayed at once; at least 1.
    public var jobs = 1
    /// How long one snapshot may take.
    public var timeout: Duration?
    /// Whether every step is undone and done again.
    public var checksRollback = false
    public var isStrict = false
    /// Where baselines of snapshots are remembered from run to run; nil for nowhere.
    public var cacheFolder: String?
    /// Whether the whole database is checked after a replay, and not only what the replay touched.
    public var isFullCheck = false
    /// The lock that is held; nil for none.
    public var lock: String?
    /// The name of the migrations' format; nil to recognise it.
    public var migrationFormat: String?
    /// What the project says of its migrations beside the files.
    public var format = FormatOptions()
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []
    /// Declarations from drydock.yml, by migration identifier.
    public var declarations: [String: [Declaration]] = [:]
    /// Findings that reading drydock.yml made, such as a misspelt declaration.
    public var findings: [Finding] = []

    /// Whether tables are compared straight from the pages where that is possible. SQL alone gives the same
    /// verdict, later.
    package var readsPages = true
    /// The one snapshot is a live database that is to be migrated, for which the end of its replay is kept.
    package var isRehearsal = false

    public init() {}
}
