import DrydockFindings
import DrydockMigrations
import DrydockState

/// Crashes during the steps of a replay.
extension SnapshotReplay {
    /// Checks what a crash during migrations that ran leads to.
    mutating func checkCrashes(
        _ batch: [Migration], _ outcome: BatchRun.Outcome, from before: DatabaseState, _ plan: ReplayPlan
    ) async throws {
        guard let limit = context.crashLimit, outcome.failure == nil, !outcome.reached.isEmpty else { return }
        guard context.command == nil else {
            return notChecked(
                .crashStuck, .unsupported("what a command of the project's commits when is not known"))
        }
        // GRDB commits a migration and its record in one transaction, or nothing.
        guard !context.set.policy.isRunByEngine else {
            result.summary.crashStates = result.summary.crashStates ?? 0
            return
        }
        let check = CrashCheck(
            context: context, watchdog: watchdog, inspector: inspector, pending: plan.pending, limit: limit)
        let found = try await check.run(
            batch, from: before.image,
            foreignKeys: outcome.reached[0].migrations[0].foreignKeys)
        for finding in found.findings { add(finding) }
        for missing in found.notChecked { notChecked(missing.rule, missing.cause) }
        result.summary.crashStates = (result.summary.crashStates ?? 0) + found.states
    }
}
