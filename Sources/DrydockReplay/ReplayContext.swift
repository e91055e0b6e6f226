import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// What all replays of a run share.
package struct ReplayContext: Sendable {
    let engine: any Engine
    /// Another engine, which must make the same of every step; nil for none.
    var other: (any Engine)?
    let set: MigrationSet
    /// How many migrations of the set are replayed.
    package let targetCount: Int
    /// Comments and drydock.yml together, by migration identifier.
    let declarations: [String: [Declaration]]
    let functions: [FunctionStub]
    let collations: [CollationStub]
    /// Whether every step is undone and done again.
    let checksRollback: Bool
    var baselines: BaselineStore?
    /// What is locked; nil where there is no lock.
    var lock: LockCheck?
    var isFullCheck = false
    var readsPages = true
    /// See ``VerifyRequest/isRehearsal``.
    var isRehearsal = false
    /// How long one snapshot may take, with what comes before it.
    var timeLimit = Duration.zero

    var targets: ArraySlice<Migration> { self.set.migrations.prefix(targetCount) }

    /// The settings of an app's own connection, on an overlay.
    func settings(_ watchdog: Watchdog) -> ConnectionSettings {
        var settings = ConnectionSettings()
        settings.foreignKeys = self.set.policy.foreignKeys
        settings.doubleQuotedStrings = self.set.policy.doubleQuotedStrings
        settings.functions = functions
        settings.collations = collations
        settings.interrupt = { watchdog.isTripped }
        settings.statements = watchdog.statements
        // Debian's SQLite has it on, and then a dropped table is overwritten page by page. Where the pages are to
        // be a live database's, it is as it is everywhere on this machine.
        settings.setup = isRehearsal ? [] : ["PRAGMA secure_delete = OFF"]
        return settings
    }

    func inspector(_ watchdog: Watchdog) -> StateInspector {
        StateInspector(
            engine: engine, settings: settings(watchdog), historyTables: self.set.format.ownTables,
            readsPages: readsPages)
    }
}
