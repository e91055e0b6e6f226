import DatabaseEngine
import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS
import SQLiteSchema

/// The values that all replays of a run share.
package struct ReplayContext: Sendable {
    package let engine: any Engine
    package var set: MigrationSet { didSet { earlierLineage = nil } }
    /// The number of migrations of the set that are replayed.
    package var targetCount: Int
    /// The declarations from comments and drydock.yml, by migration identifier.
    package let declarations: [String: [Declaration]]
    package let functions: [FunctionStub]
    package let collations: [CollationStub]
    /// The checks of steps that run only if requested.
    package var checks: [any StepCheck] = []
    package var baselines: BaselineStore?
    /// What is kept for the next run; nil where there will be none.
    package var cache: ReplayCache?
    /// The lock; nil where there is none.
    package var lock: (any ReleaseRecord)?
    package var isFullCheck = false
    /// The project's own command, which runs the migrations; nil where they are SQL.
    package var command: CommandProject?
    /// Whether the snapshot is a live database to be migrated, so that the end of its replay is kept.
    package var isRehearsal = false
    /// See ``VerifyRequest/wantsHistory``.
    package var wantsHistory = false
    /// Waits for a certain finding; nil if all findings are collected.
    package var listener: (any ReplayListener)?
    /// Whether findings get the statements by which SQLite's own shell shows them.
    package var wantsScripts = false
    /// What the snapshots share that have the same schema.
    package let schemas = SchemaCache()
    /// What their migrations did to tables; nil where each replay finds out.
    package var earlierLineage: EarlierLineage?
    /// The differences from a fresh install.
    let mismatches = FactCache<SchemaMismatch.Part, [Finding]>()
    /// The connections on which their states are looked at; nil where each state gets its own.
    package var connections: ConnectionPool?
    /// The time limit for one snapshot, including the work before it.
    package var timeLimit = Duration.zero

    package init(
        engine: any Engine, set: MigrationSet, targetCount: Int, declarations: [String: [Declaration]],
        functions: [FunctionStub], collations: [CollationStub]
    ) {
        (self.engine, self.set, self.targetCount) = (engine, set, targetCount)
        (self.declarations, self.functions, self.collations) = (declarations, functions, collations)
    }

    /// How often the usual time limit fits into that of the run, at least once, for limits that count something else; nil
    /// where there is no limit.
    package var timeShare: Int? { timeLimit == .zero ? nil : max(1, Int(timeLimit / .seconds(600))) }

    /// Whether steps are run again elsewhere, so that all runs must see the same time and random numbers.
    package var repeatsSteps: Bool { checks.contains(where: \.repeatsSteps) }

    /// Whether the run need not continue.
    package var isDone: Bool { listener?.isDone ?? false }

    package var targets: ArraySlice<Migration> { self.set.migrations.prefix(targetCount) }

    /// The settings of an app's own connection, on an overlay.
    package func settings(_ watchdog: Watchdog) -> ConnectionSettings {
        var settings = ConnectionSettings()
        settings.foreignKeys = self.set.policy.foreignKeys
        settings.doubleQuotedStrings = self.set.policy.doubleQuotedStrings
        settings.functions = functions
        settings.collations = collations
        settings.standIns = self.set.standIns
        settings.interrupt = { watchdog.isTripped }
        settings.statements = watchdog.statements
        // Debian's SQLite has it on, which overwrites a dropped table page by page. Where the pages will become a live
        // database's, the default of this machine stays.
        settings.setup = isRehearsal ? [] : ["PRAGMA secure_delete = OFF"]
        return settings
    }

    /// Returns what runs the project's own command; nil where the migrations are SQL.
    package func commandRun(_ watchdog: Watchdog) -> CommandRun? {
        command.map {
            CommandRun(
                $0.format, fence: $0.fence, engine: engine, settings: settings(watchdog), watchdog: watchdog)
        }
    }

    package func inspector(_ watchdog: Watchdog) -> StateInspector {
        var inspector = StateInspector(
            engine: engine, settings: settings(watchdog), historyTables: self.set.format.ownTables)
        inspector.schemas = schemas
        inspector.connections = connections
        return inspector
    }
}
