/// The rules that replays, migrations and databases must satisfy, by the identifiers that reports use.
public enum Rule: String, Sendable, Hashable, Codable, CaseIterable {
    case migrationFailed = "migration-failed"
    case transactionEnded = "transaction-ended"
    case pragmaIgnored = "pragma-ignored"
    case rowsLost = "rows-lost"
    case valuesChanged = "values-changed"
    case tableDropped = "table-dropped"
    case columnDropped = "column-dropped"
    case rowsAdded = "rows-added"
    case invariantBroken = "invariant-broken"
    case objectLost = "object-lost"
    case constraintLost = "constraint-lost"
    case referenceMoved = "reference-moved"
    case autoincrementReset = "autoincrement-reset"
    case searchIndexStale = "search-index-stale"
    case viewBroken = "view-broken"
    case tableUnreadable = "table-unreadable"
    case foreignKeyViolation = "foreign-key-violation"
    case integrityFailure = "integrity-failure"
    case schemaMismatch = "schema-mismatch"
    case notIdempotent = "not-idempotent"
    case snapshotUnreadable = "snapshot-unreadable"
    case snapshotVersionUnknown = "snapshot-version-unknown"
    case unknownMigration = "unknown-migration"
    case migrationOutOfOrder = "migration-out-of-order"
    case migrationEdited = "migration-edited"
    case migrationRemoved = "migration-removed"
    case migrationVaries = "migration-varies"
    case snapshotEdited = "snapshot-edited"
    case snapshotRemoved = "snapshot-removed"
    case migrationInCode = "migration-in-code"
    case rollbackFailed = "rollback-failed"
    case rollbackMismatch = "rollback-mismatch"
    case crashStuck = "crash-stuck"
    case crashLoses = "crash-loses"
    case crashDiverges = "crash-diverges"
    case libraryDivergence = "library-divergence"
    case invalidDeclaration = "invalid-declaration"
    case unusedDeclaration = "unused-declaration"
    case engineDivergence = "engine-divergence"
    case timeLimit = "time-limit"
    case nothingVerified = "nothing-verified"
    case headerMarkChanged = "header-mark-changed"
    case fileLeftOut = "file-left-out"
    case migrationEmpty = "migration-empty"
    case planRefused = "plan-refused"
    case vacuumFailed = "vacuum-failed"
    case schemaDiffers = "schema-differs"
    case migrationPending = "migration-pending"

    // Rules only of `drydock lint`; their texts are in LintRuleText.
    case addColumnFails = "add-column-fails"
    case uniqueOverExisting = "unique-over-existing"
    case expressionFails = "expression-fails"
    case expressionIndexFails = "expression-index-fails"
    case destructiveUndeclared = "destructive-undeclared"
    case positionalCopy = "positional-copy"
    case copiedConstant = "copied-constant"
    case rebuildStricter = "rebuild-stricter"
    case rebuildForgets = "rebuild-forgets"
    case rebuildRenamesFirst = "rebuild-renames-first"
    case dropParentCascades = "drop-parent-cascades"
    case refusedInTransaction = "refused-in-transaction"
    case notRestartable = "not-restartable"
    case doubleQuotedString = "double-quoted-string"
    case writableSchema = "writable-schema"
    case foreignKeyWithoutIndex = "foreign-key-without-index"
    case foreignKeyParent = "foreign-key-parent"
    case duplicateIndex = "duplicate-index"
    case redundantIndex = "redundant-index"
    case defaultIsIdentifier = "default-is-identifier"
    case defaultOfAnotherType = "default-of-another-type"
    case missingStrict = "missing-strict"
    case missingDown = "missing-down"
    case minimumSQLite = "minimum-sqlite"

    // Rules only of `drydock health`; their texts are in HealthRuleText.
    case fileHeader = "file-header"
    case journal
    case walSize = "wal-size"
    case walCheckpoint = "wal-checkpoint"
    case sqliteVersion = "sqlite-version"
    case diskSpace = "disk-space"
    case pageSize = "page-size"
    case freelist
    case autoVacuum = "auto-vacuum"
    case objectSize = "object-size"
    case primaryKey = "primary-key"
    case rowidHeadroom = "rowid-headroom"
    case spatialIndex = "spatial-index"
    case statistics
    case fragmentation
    case textEncoding = "text-encoding"
    case columnType = "column-type"

    /// What is true if the rule is broken, in one line.
    public var summary: String { replayText ?? lintText?.summary ?? healthText?.summary ?? "" }

    /// Whether only `drydock health` checks the rule.
    package var isOfHealthAlone: Bool { replayText == nil && lintText == nil }

    /// What is true if a replay breaks the rule; nil where none checks it.
    private var replayText: String? {
        switch self {
        case .migrationFailed: "a pending migration does not run"
        case .transactionEnded: "a migration begins or ends its runner's transaction"
        case .pragmaIgnored: "a PRAGMA in a migration has no effect where it stands"
        case .rowsLost: "rows that existed before a migration are gone"
        case .valuesChanged: "values that existed before a migration are different"
        case .tableDropped: "a table is gone"
        case .columnDropped: "a column is gone"
        case .rowsAdded: "rows appeared in a table that existed before"
        case .invariantBroken: "a declared `preserves` query returns something else"
        case .objectLost: "an index, trigger or view vanished that no statement dropped by name"
        case .constraintLost: "a table that stays has lost a constraint, or the action of a foreign key"
        case .referenceMoved: "a view, trigger or foreign key follows a renamed table away from its successor"
        case .autoincrementReset: "an AUTOINCREMENT table would give out an id again"
        case .searchIndexStale: "a full-text or spatial index no longer agrees with its content"
        case .viewBroken:
            "a view or trigger no longer compiles, or a name in double quotes means something else"
        case .tableUnreadable: "a table can no longer be read in all its columns, or takes no row any more"
        case .foreignKeyViolation: "a row references a parent that does not exist"
        case .integrityFailure: "integrity_check finds damage"
        case .schemaMismatch: "a migrated snapshot's schema is not that of a fresh install"
        case .notIdempotent: "opened again with the same migrations, the database changes"
        case .snapshotUnreadable: "a snapshot cannot be read"
        case .snapshotVersionUnknown: "a snapshot does not show its version"
        case .unknownMigration: "a snapshot has applied a migration that is not in the folder"
        case .migrationOutOfOrder: "a pending or new migration sorts before an applied or locked one"
        case .migrationEdited:
            "a migration that is locked, or that a snapshot has applied, has changed"
        case .migrationRemoved: "a locked migration is gone"
        case .migrationVaries: "a closure executes different statements each time it runs"
        case .snapshotEdited: "a locked snapshot has changed"
        case .snapshotRemoved: "a locked snapshot is gone"
        case .migrationInCode: "a migration is written in code, which cannot be run here"
        case .rollbackFailed: "a migration cannot be undone, or not run again"
        case .rollbackMismatch: "undone or run again, a migration leaves a different schema"
        case .crashStuck: "stopped on the way, the tool never runs again by itself"
        case .crashLoses: "stopped on the way and started again, rows or values are lost or doubled"
        case .crashDiverges: "stopped on the way and started again, the schema or the history differs"
        case .libraryDivergence: "another SQLite library gives a different result for a migration"
        case .invalidDeclaration: "a drydock: comment is not understood"
        case .unusedDeclaration: "a declaration that nothing needed"
        case .engineDivergence: "two engines give different results for a migration"
        case .timeLimit: "a replay took longer than it was given"
        case .nothingVerified: "there was nothing to verify"
        case .headerMarkChanged:
            "a migration changed user_version or application_id, which its tool does not use"
        case .fileLeftOut: "a file beside the migrations is not read as a migration"
        case .migrationEmpty: "a migration holds no statement"
        case .planRefused: "the SQL from one schema to the other is not given"
        case .vacuumFailed: "a database was not vacuumed"
        case .schemaDiffers: "two schemas are not the same"
        case .migrationPending: "a migration is not applied yet"
        default: nil
        }
    }
}

extension Rule {
    /// Names that commands once had for a rule that another command had, too. They are read wherever a rule is named.
    private static let earlierNames: [String: Rule] = [
        "foreign-key": .foreignKeyViolation, "integrity": .integrityFailure,
        "search-index": .searchIndexStale, "foreign-key-index": .foreignKeyWithoutIndex,
    ]

    /// Creates the rule with an identifier, or with one that it had in an earlier version.
    ///
    ///     Rule(named: "foreign-key") == .foreignKeyViolation
    public init?(named name: String) {
        guard let rule = Rule(rawValue: name) ?? Self.earlierNames[name] else { return nil }
        self = rule
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let rule = Rule(named: name) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "there is no rule '\(name)'")
        }
        self = rule
    }
}

extension Rule {
    /// Why a broken rule matters to the people who have such a database; nil if the summary says it all.
    public var why: String? {
        switch self {
        case .migrationFailed: "The app could not open its database after the upgrade."
        case .transactionEnded: "What ran before it would stay even if the rest fails."
        case .rowsLost, .tableDropped, .columnDropped:
            "Users lose this data on upgrade. integrity_check and foreign_key_check do not see it."
        case .valuesChanged: "Users find different data after the upgrade."
        case .invariantBroken: "The migration's author said that this must not change."
        case .objectLost:
            "SQLite drops indexes and triggers with their table; a rebuild must recreate them."
        case .constraintLost: "No row shows it: any later one may break what the app relies on."
        case .referenceMoved:
            "SQLite rewrites references when a table is renamed, also where a new table takes the old name."
        case .autoincrementReset: "Old ids may live on in other tables, in files or on a server."
        case .searchIndexStale:
            "Searches miss rows or find what is no longer there; integrity_check does not see it."
        case .viewBroken:
            "SQLite reports a broken view or trigger only when it is used, and never reports a changed meaning."
        case .tableUnreadable:
            "SQLite reports it only when the table is used: every SELECT * or INSERT of the app fails then."
        case .foreignKeyViolation: "With foreign keys on, later changes to these rows fail."
        case .schemaMismatch: "The next migration meets two kinds of database under one version."
        case .notIdempotent: "Every launch would migrate again."
        case .snapshotUnreadable, .snapshotVersionUnknown, .timeLimit: "Nothing was proved for this snapshot."
        case .migrationEdited: "Databases differ by when they were migrated, or the tool refuses to start."
        case .migrationRemoved: "Databases that have applied it know a migration that the folder does not."
        case .snapshotEdited, .snapshotRemoved:
            "What users have out there did not change; this no longer shows whether it survives."
        case .migrationInCode: "What it does to users' data was not seen."
        case .rollbackFailed, .rollbackMismatch:
            "A release that is taken back leaves a database that no version knows."
        case .crashStuck: "A user to whom this happens can never open the app again."
        case .crashLoses: "A user to whom this happens loses data, and nothing reports it."
        case .crashDiverges: "The next migration meets two kinds of database under one version."
        case .libraryDivergence: "Which SQLite a user's system has decides which database the user gets."
        case .engineDivergence: "Whichever engine an app uses decides which database its users get."
        case .headerMarkChanged:
            "An app that reads the number takes the database for a different version or kind."
        case .fileLeftOut: "What it was meant to do never happens to a user's database."
        case .unknownMigration: "Its schema may differ from what the folder makes."
        default: healthText?.why
        }
    }
}

extension Finding {
    /// Why it matters to the people who have such a database; nil if the rule's summary says it all.
    public var why: String? {
        if rule == .migrationFailed, tags.contains(.notChecked) {
            return "Whether it runs for users is not known."
        }
        if tags.contains(.freshInstall) {
            let fact = "No new user can install the app"
            return snapshot == nil
                ? "\(fact): it ends here."
                : [rule.why, "\(fact) either."].compactMap(\.self).joined(separator: " ")
        }
        // A dropped table without a row, or column without a value, lost nothing of a user's.
        guard evidence?.rowCount == 0 else { return rule.why }
        switch rule {
        case .columnDropped: return "No value is lost; a query that names the column fails."
        case .tableDropped: return "No row is lost; a query that names the table fails."
        default: return rule.why
        }
    }
}
