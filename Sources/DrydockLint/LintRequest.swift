import DrydockReplay
import DrydockFindings
import DrydockMigrations
import DatabaseEngine

/// What `drydock lint` is asked to do.
public struct LintRequest: Sendable {
    public var migrationsFolder = "Migrations"
    /// The name of the migrations' format; nil to recognise it.
    public var migrationFormat: String?
    public var format = FormatOptions()
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []
    /// Declarations from drydock.yml, by migration identifier.
    public var declarations: [String: [Declaration]] = [:]
    /// Findings that reading drydock.yml made, such as a misspelt declaration.
    public var findings: [Finding] = []
    public var isStrict = false
    /// What the project says of single rules.
    public var severities: [Rule: LintSeverity] = [:]
    /// The oldest SQLite that must run the migrations; nil for any.
    public var minimumSQLite: SQLiteVersion?
    /// The last migration that is released: those behind it are linted, as one set.
    public var since: String?
    /// The identifiers of released migrations, as the lock has them; nil where there is none. What is not among
    /// them is linted, as one set.
    public var locked: Set<String>?
    /// Whether a lock must be there.
    public var onlyNew = false
    /// Whether locked migrations are linted too.
    public var includesLocked = false

    /// Snapshots whose history is asked where the folder alone does not say whose the migrations are; nil for none.
    public var snapshotsFolder: String?

    public init() {}

    init(migrationsFolder: String, format: FormatOptions) {
        self.migrationsFolder = migrationsFolder
        self.format = format
    }

    /// Whether the lock says what is linted.
    var followsLock: Bool { since == nil && !includesLocked && locked != nil }
}

/// What linting found, and what it would write.
public struct LintOutcome: Sendable {
    /// After ``Linter/fix(_:)``: what stands when the rewrites are made.
    public var report: VerifyReport
    /// Rewrites that are certain, by file; none of a locked migration.
    public var rewrites: [FileRewrite]
    /// Files that could be rewritten and are to stay as they are.
    public var kept: [KeptFile]
}

/// A file that is left as it is though a rewrite of it is certain.
public struct KeptFile: Sendable, Hashable {
    public var path: String
    public var reason: String
}
