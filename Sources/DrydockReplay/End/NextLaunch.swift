import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// `not-idempotent`: starts the app or tool again after the last pending migration, where nothing is left to do.
struct NextLaunch {
    let inputs: ReplayInputs

    private var context: ReplayContext { inputs.context }

    /// Opens the final state once more with the same migrations, as an app's next launch does.
    func check(_ end: DatabaseState, _ record: inout ReplayRecord) async throws {
        guard context.set.policy.isRunByEngine else { return try await checkPending(at: end, &record) }
        let overlay = try Overlay(end.image)
        let migrations = context.targets.filter { $0.fault == nil }.map { MigrationRun($0).engineMigration }
        var failure: String?
        var ran: [String] = []
        do {
            ran = try await context.engine.use(overlay, settings: context.settings(inputs.watchdog)) {
                database in
                let ran = try await database.migrate(migrations)
                try await database.withConnection { try $0.checkpoint() }
                return ran.map(\.identifier)
            }
        } catch {
            if inputs.watchdog.isTripped { throw error }
            failure = (error as? StatementFailure)?.error.message ?? String(describing: error)
        }
        let footprint = overlay.freeze().footprint
        guard failure != nil || !ran.isEmpty || !footprint.isEmpty else { return }
        let what =
            !ran.isEmpty
            ? "\(ran.joined(separator: ", ")) would run again"
            : failure ?? "\(counted(footprint.pages.count, "page")) would change"
        record.add(
            Finding(
                .notIdempotent, "opened again with the same migrations: \(what)",
                help: "A migration must not touch \(context.set.format.historyTable ?? "the history").",
                migration: record.result.summary.to, place: historyStatement(of: record).map { .init($0) }))
    }

    /// Another tool runs nothing when nothing is pending: its history is read once more.
    private func checkPending(at end: DatabaseState, _ record: inout ReplayRecord) async throws {
        let set = context.set
        if let command = context.command, command.format.history == nil {
            return record.notChecked(
                .notIdempotent,
                .undecided("nothing records what '\(command.format.command.command)' has applied"))
        }
        let history = try await inputs.inspector.withConnection(to: end.image) {
            try set.history($0)
        }
        let applied = history ?? AppliedHistory([])
        let pending = ReplayPlan(history: applied, set: set, targetCount: context.targetCount).pending
        guard !pending.isEmpty, !record.result.summary.steps.isEmpty else { return }
        let names = pending.map { set.migrations[$0].identifier }
        let isUnrecorded =
            set.format is CustomFormat && pending.allSatisfy { set.migrations[$0].record.isEmpty }
        record.add(
            Finding(
                .notIdempotent,
                "opened again with the same migrations: \(names.joined(separator: ", ")) would run again"
                    + (isUnrecorded ? ", since nothing records them" : ""),
                help: isUnrecorded
                    ? "Say how the app records a migration: 'record' under 'custom: history:' in drydock.yml, with "
                        + "':version' for its identifier."
                    : "A migration must not touch \(set.format.historyTable ?? "PRAGMA user_version").",
                migration: record.result.summary.to,
                place: isUnrecorded ? nil : historyStatement(of: record).map { .init($0) }))
    }

    /// Returns the last statement of a replayed migration that names the history table.
    private func historyStatement(of record: ReplayRecord) -> SQLStatement? {
        let table = (context.set.format.historyTable ?? "user_version").foldedASCII
        let replayed = context.targets.filter { record.result.triedMigrations.contains($0.identifier) }
        return replayed.flatMap(\.statements).last { statement in
            statement.tokens.contains { $0.name(in: statement.source)?.foldedASCII == table }
        }
    }
}
