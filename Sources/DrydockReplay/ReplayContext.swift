import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// The values that all replays of a run share.
package struct ReplayContext: Sendable {
    let engine: any Engine
    var set: MigrationSet { didSet { chronicle = nil } }
    /// The number of migrations of the set that are replayed.
    package var targetCount: Int
    /// The declarations from comments and drydock.yml, by migration identifier.
    let declarations: [String: [Declaration]]
    let functions: [FunctionStub]
    let collations: [CollationStub]
    /// What is checked of steps only where it is asked for.
    var checks: [any StepCheck] = []
    var baselines: BaselineStore?
    /// What is kept for the next run; nil where there will be none.
    var memory: ReplayMemory?
    /// The lock; nil where there is none.
    var lock: LockCheck?
    var isFullCheck = false
    /// The project's own command, which runs the migrations; nil where they are SQL.
    var command: CommandProject?
    /// See ``VerifyRequest/isRehearsal``.
    var isRehearsal = false
    /// See ``VerifyRequest/wantsHistory``.
    var wantsHistory = false
    /// Waits for a certain finding; nil where all are wanted.
    var listener: (any ReplayListener)?
    /// Whether findings get the statements by which SQLite's own shell shows them.
    var wantsScripts = false
    /// What fills probes; nil where none are replayed.
    var probes: ProbeSource?
    /// What the snapshots share that have the same schema.
    let schemas = SchemaMemory()
    /// What their migrations did to tables; nil where each replay finds out.
    var chronicle: Chronicle?
    /// The differences from a fresh install.
    let mismatches = FactMemory<SchemaMismatch.Part, [Finding]>()
    /// The connections on which their states are looked at; nil where each state gets its own.
    var connections: ConnectionPool?
    /// The time limit for one snapshot, including the work before it.
    var timeLimit = Duration.zero

    /// How often the usual time limit fits into that of the run, at least once, for limits that count something else; nil
    /// where there is no limit.
    var timeShare: Int? { timeLimit == .zero ? nil : max(1, Int(timeLimit / .seconds(600))) }

    /// Whether steps are run again elsewhere, so that all runs must see the same time and random numbers.
    var repeatsSteps: Bool { checks.contains(where: \.repeatsSteps) }

    /// Whether nothing more is wanted of a run.
    var isDone: Bool { listener?.isDone ?? false }

    var targets: ArraySlice<Migration> { self.set.migrations.prefix(targetCount) }

    /// The settings of an app's own connection, on an overlay.
    func settings(_ watchdog: Watchdog) -> ConnectionSettings {
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
    func commandRun(_ watchdog: Watchdog) -> CommandRun? {
        command.map {
            CommandRun(
                $0.format, fence: $0.fence, engine: engine, settings: settings(watchdog), watchdog: watchdog)
        }
    }

    func inspector(_ watchdog: Watchdog) -> StateInspector {
        var inspector = StateInspector(
            engine: engine, settings: settings(watchdog), historyTables: self.set.format.ownTables)
        inspector.schemas = schemas
        inspector.connections = connections
        return inspector
    }
}
