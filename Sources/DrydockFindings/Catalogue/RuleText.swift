/// The words of a rule that is checked by replays, or by a command other than `drydock lint` and `drydock health`.
public struct RuleText: Sendable {
    /// What is true if the rule is broken, in one line.
    public var summary: String
    /// Why that matters to the people who have such a database; nil if the summary says it all.
    public var why: String?

    fileprivate init(_ summary: String, why: String? = nil) { (self.summary, self.why) = (summary, why) }
}

extension Rule {
    /// The words of the rule; nil if only a rule of `drydock lint` or a check of `drydock health` looks for it, which has
    /// them in its file.
    public var text: RuleText? {
        switch self {
        case .migrationFailed:
            RuleText(
                "a pending migration does not run",
                why: "The app could not open its database after the upgrade.")
        case .transactionEnded:
            RuleText(
                "a migration begins or ends its runner's transaction",
                why: "What ran before it would be kept even if the rest fails.")
        case .pragmaIgnored: RuleText("a PRAGMA in a migration has no effect")
        case .rowsLost:
            RuleText(
                "rows that existed before a migration are gone",
                why: "Users lose this data on upgrade. integrity_check and foreign_key_check do not see it.")
        case .valuesChanged:
            RuleText(
                "values that existed before a migration are different",
                why: "Users find different data after the upgrade.")
        case .tableDropped:
            RuleText(
                "a table is gone",
                why: "Users lose this data on upgrade. integrity_check and foreign_key_check do not see it.")
        case .columnDropped:
            RuleText(
                "a column is gone",
                why: "Users lose this data on upgrade. integrity_check and foreign_key_check do not see it.")
        case .rowsAdded: RuleText("rows appeared in a table that existed before")
        case .invariantBroken:
            RuleText(
                "a declared `preserves` query returns something else",
                why: "The migration's author said that this must not change.")
        case .objectLost:
            RuleText(
                "an index, trigger or view is gone that no statement dropped by name",
                why: "SQLite drops indexes and triggers with their table; a rebuild must recreate them.")
        case .constraintLost:
            RuleText(
                "a table has lost a constraint, or the action of a foreign key",
                why: "No existing row shows it: any later one may break what the app relies on.")
        case .referenceMoved:
            RuleText(
                "a view, trigger or foreign key follows a renamed table away from its successor",
                why:
                    "SQLite rewrites references when a table is renamed, even if a new table then takes the old name."
            )
        case .autoincrementReset:
            RuleText(
                "an AUTOINCREMENT table would reuse an id",
                why: "Old ids may still be used in other tables, in files or on a server.")
        case .searchIndexStale:
            RuleText(
                "a full-text or spatial index no longer agrees with its content",
                why: "Searches miss rows or find what no longer exists; integrity_check does not see it.")
        case .viewBroken:
            RuleText(
                "a view or trigger no longer compiles, or a name in double quotes means something else",
                why:
                    "SQLite reports a broken view or trigger only when it is used, and never reports a changed meaning."
            )
        case .tableUnreadable:
            RuleText(
                "some columns of a table can no longer be read, or no row can be inserted any more",
                why:
                    "SQLite reports it only when the table is used: every SELECT * or INSERT of the app fails then."
            )
        case .foreignKeyViolation:
            RuleText(
                "a row references a parent that does not exist",
                why: "With foreign keys on, later changes to these rows fail.")
        case .integrityFailure: RuleText("integrity_check finds damage")
        case .schemaMismatch:
            RuleText(
                "a migrated snapshot's schema is not that of a fresh install",
                why: "The next migration meets two kinds of database under one version.")
        case .notIdempotent:
            RuleText(
                "opened again with the same migrations, the database changes",
                why: "Every launch would migrate again.")
        case .snapshotUnreadable:
            RuleText("a snapshot cannot be read", why: "Nothing was proved for this snapshot.")
        case .snapshotVersionUnknown:
            RuleText("a snapshot does not show its version", why: "Nothing was proved for this snapshot.")
        case .unknownMigration:
            RuleText(
                "a snapshot has applied a migration that is not in the folder",
                why: "Its schema may differ from the one that the folder creates.")
        case .migrationOutOfOrder:
            RuleText("a pending or new migration sorts before an applied or locked one")
        case .migrationEdited:
            RuleText(
                "a migration that is locked, or that a snapshot has applied, has changed",
                why: "Databases differ by when they were migrated, or the tool refuses to start.")
        case .migrationRemoved:
            RuleText(
                "a locked migration is gone",
                why: "Databases that have applied it have a migration that the folder does not.")
        case .migrationVaries: RuleText("a closure executes different statements each time it runs")
        case .snapshotEdited:
            RuleText(
                "a locked snapshot has changed",
                why: "What users have did not change; the snapshot no longer shows whether it survives.")
        case .snapshotRemoved:
            RuleText(
                "a locked snapshot is gone",
                why: "What users have did not change; the snapshot no longer shows whether it survives.")
        case .migrationInCode:
            RuleText(
                "a migration is written in code, which cannot be run here",
                why: "What it does to users' data was not checked.")
        case .rollbackFailed:
            RuleText(
                "a migration cannot be undone, or not run again",
                why: "If a release is withdrawn, its databases have a schema that no version knows.")
        case .rollbackMismatch:
            RuleText(
                "undone or run again, a migration leaves a different schema",
                why: "If a release is withdrawn, its databases have a schema that no version knows.")
        case .crashStuck:
            RuleText(
                "after an interruption, the tool never runs again by itself",
                why: "A user to whom this happens can never open the app again.")
        case .crashLoses:
            RuleText(
                "after an interruption and a restart, rows or values are lost or duplicated",
                why: "A user to whom this happens loses data, and nothing reports it.")
        case .crashDiverges:
            RuleText(
                "after an interruption and a restart, the schema or the history differs",
                why: "The next migration meets two kinds of database under one version.")
        case .libraryDivergence:
            RuleText(
                "another SQLite library gives a different result for a migration",
                why: "Which SQLite a user's system has decides which database the user gets.")
        case .invalidDeclaration: RuleText("a drydock: comment is not understood")
        case .unusedDeclaration: RuleText("a declaration that nothing needed")
        case .engineDivergence:
            RuleText(
                "two engines give different results for a migration",
                why: "Whichever engine an app uses decides which database its users get.")
        case .timeLimit:
            RuleText("a replay took longer than its time limit", why: "Nothing was proved for this snapshot.")
        case .nothingVerified: RuleText("there was nothing to verify")
        case .headerMarkChanged:
            RuleText(
                "a migration changed user_version or application_id, which its tool does not use",
                why: "An app that reads the number takes the database for a different version or kind.")
        case .fileLeftOut:
            RuleText(
                "a file beside the migrations is not read as a migration",
                why: "If it is a migration, no user's database gets it.")
        case .migrationEmpty: RuleText("a migration holds no statement")
        case .planRefused: RuleText("the SQL from one schema to the other is refused")
        case .vacuumFailed: RuleText("a database was not vacuumed")
        case .schemaDiffers: RuleText("two schemas are not the same")
        case .migrationPending: RuleText("a migration is not applied yet")
        case .addColumnFails, .uniqueOverExisting, .expressionFails, .expressionIndexFails,
            .destructiveUndeclared, .positionalCopy, .copiedConstant, .rebuildStricter, .rebuildForgets,
            .rebuildRenamesFirst, .dropParentCascades, .refusedInTransaction, .notRestartable,
            .doubleQuotedString, .writableSchema, .foreignKeyWithoutIndex, .foreignKeyParent, .duplicateIndex,
            .redundantIndex, .defaultIsIdentifier, .defaultOfAnotherType, .missingStrict, .missingDown,
            .minimumSQLite, .fileHeader, .journal, .walSize, .walCheckpoint, .sqliteVersion, .diskSpace,
            .pageSize, .freelist, .autoVacuum, .objectSize, .primaryKey, .rowidHeadroom, .spatialIndex,
            .statistics, .fragmentation, .textEncoding, .columnType:
            nil
        }
    }
}
