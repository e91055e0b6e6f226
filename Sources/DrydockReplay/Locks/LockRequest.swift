import DrydockMigrations
import DatabaseEngine
import Foundation

/// What `drydock lock` is asked to do.
public struct LockRequest: Sendable {
    /// The lock that is written or checked.
    public var path = Lock.defaultPath
    public var migrationsFolder = "Migrations"
    /// Nil for none.
    public var snapshotsFolder: String? = "Snapshots"
    /// Migrations and snapshots whose entries may be rewritten or dropped.
    public var replace: [String] = []
    /// Whether nothing is written.
    public var isCheck = false
    public var isStrict = false
    /// Whether locked snapshots get a baseline of the SQLite that runs, where they have none.
    public var addsBaselines = false
    /// Where what snapshots hold is remembered from run to run; nil for nowhere.
    public var cacheFolder: String?
    /// The name of the migrations' format; nil for the lock's, or to recognise it.
    public var migrationFormat: String?
    public var format = FormatOptions()
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []
    /// The day that new snapshots are noted with.
    public var date = Date().formatted(.iso8601.year().month().day())

    public init() {}
}
