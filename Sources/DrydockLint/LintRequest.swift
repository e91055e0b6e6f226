import DrydockReplay
import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// The options of `drydock lint`.
public struct LintRequest: Sendable {
    public var migrations = MigrationSource()
    /// Findings about drydock.yml itself, such as a misspelt declaration.
    public var findings: [Finding] = []
    public var isStrict = false
    /// The project's settings for single rules.
    public var severities: [Rule: LintSeverity] = [:]
    /// The oldest SQLite that must run the migrations; nil for any.
    public var minimumSQLite: SQLiteVersion?
    /// The last released migration: those after it are linted, as one set.
    public var since: String?
    /// The identifiers of released migrations from the lock; nil where there is no lock. All others are linted, as one
    /// set.
    public var locked: Set<String>?
    /// Whether a lock must exist.
    public var onlyNew = false
    /// Whether locked migrations are linted too.
    public var includesLocked = false

    /// Snapshots whose history is read where the folder alone does not show which tool's the migrations are; nil for
    /// none.
    public var snapshotsFolder: String?

    public init() {}

    /// Whether the lock decides which migrations are linted.
    var followsLock: Bool { since == nil && !includesLocked && locked != nil }
}

/// The findings of linting, and the proposed rewrites.
public struct LintOutcome: Sendable {
    /// After ``Linter/fix(_:)``: the findings that remain once the rewrites are made.
    public var report: Report
    /// Rewrites that are certain, by file; none of locked migrations.
    public var rewrites: [FileRewrite]
    /// Files that could be rewritten but must stay unchanged.
    public var kept: [KeptFile]
    /// The migrations that were read.
    package var migrations: [Migration] = []
    /// The files that were not linted, since an earlier migration does not run.
    package var unlinted: [String] = []
    /// The statements that created the tables of the findings, by folded name.
    package var creations: [String: SQLStatement] = [:]
}

/// A file that is left unchanged although a rewrite of it is certain.
public struct KeptFile: Sendable, Hashable {
    public var path: String
    public var reason: String
}
