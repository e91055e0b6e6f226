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

    // Rules only of `drydock lint`; their texts are in the files of DrydockLint/Rules.
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

    // Rules only of `drydock health`; their texts are in the files of its checks.
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

    /// The rules that drydock.yml, `--rule` and `ignore` may name, in the order of the documentation.
    public static let ofLint: [Rule] = [
        .addColumnFails, .expressionFails, .uniqueOverExisting, .expressionIndexFails, .destructiveUndeclared,
        .positionalCopy, .copiedConstant, .rebuildStricter, .rebuildForgets, .constraintLost,
        .rebuildRenamesFirst, .dropParentCascades, .refusedInTransaction, .notRestartable,
        .doubleQuotedString, .writableSchema,
        .foreignKeyWithoutIndex, .foreignKeyParent,
        .duplicateIndex, .redundantIndex, .viewBroken, .searchIndexStale, .defaultIsIdentifier,
        .defaultOfAnotherType, .missingStrict,
        .missingDown, .minimumSQLite,
        .transactionEnded, .pragmaIgnored, .migrationInCode,
    ]
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
