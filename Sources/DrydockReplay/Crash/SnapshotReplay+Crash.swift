import DrydockFindings
import DrydockMigrations
import DrydockState

/// Crashes during the steps of a replay.
extension SnapshotReplay {
    /// Checks what a crash during migrations that ran leads to.
    mutating func checkCrashes(
        _ batch: [Migration], _ outcome: BatchRun.Outcome, from before: DatabaseState,
        _ opened: OpenedSnapshot
    ) async throws {
        guard let limits = context.crashLimits, outcome.failure == nil, !outcome.reached.isEmpty else {
            return
        }
        guard context.command == nil else {
            return notChecked(
                .crashStuck, .unsupported("what a command of the project's commits when is not known"))
        }
        var start = steps.crashStart
        start.foreignKeys = outcome.reached[0].migrations[0].foreignKeys
        let actual = outcome.reached[outcome.reached.count - 1].image
        let pages = outcome.reached.reduce(into: Set<UInt32>()) { $0.formUnion($1.footprint.pages) }
        // Where one finding is made small, the kind of crash that gives it is needed, and no other.
        let kinds = context.catcher == nil ? [limits] : limits.kinds
        for kind in kinds {
            let check = CrashCheck(
                context: context, watchdog: watchdog, inspector: inspector, pending: opened.plan.pending,
                limits: kind)
            let found = try await check.run(batch, from: before.image, start, (actual, pages))
            note(found, kind)
            let step = ReplayedSteps.Last(batch, from: before, steps.temporaries)
            if handOver(found.findings, of: step, by: .crashes(kind)) { break }
        }
        let carried = batch.last { $0.mayLeaveSettings } ?? start.carriedFrom
        steps.crashStart = try await opened.database.withConnection { connection in
            var next = CrashStart(carriedFrom: carried)
            try next.note(connection)
            return next
        }
    }

    private mutating func note(_ found: CrashCheck.Outcome, _ limits: CrashLimits) {
        for finding in found.findings { add(finding) }
        for missing in found.notChecked { notChecked(missing.rule, missing.cause) }
        result.summary.crashStates = (result.summary.crashStates ?? 0) + found.states
        if limits.includesWrites {
            result.summary.crashPowerCuts = (result.summary.crashPowerCuts ?? 0) + found.powerCuts
        }
        result.summary.crashFaults = (result.summary.crashFaults ?? 0) + found.faults
    }
}
