import DrydockFindings
import DrydockMigrations
import DrydockState

/// Checks what crashes during the steps of a replay lead to, where that is requested.
struct StepCrashes {
    let inputs: ReplayInputs
    let scenes: SceneHandover
    /// What the tool's connection has when the next step begins.
    private var start = CrashStart()

    init(_ inputs: ReplayInputs, _ scenes: SceneHandover) { (self.inputs, self.scenes) = (inputs, scenes) }

    /// Checks what a crash during migrations that ran leads to.
    mutating func check(
        _ batch: [Migration], _ outcome: BatchRun.Outcome, from before: DatabaseState,
        _ opened: OpenedSnapshot, _ record: inout ReplayRecord
    ) async throws {
        let context = inputs.context
        guard let limits = context.crashLimits, outcome.failure == nil, !outcome.reached.isEmpty else {
            return
        }
        guard context.command == nil else {
            return record.notChecked(
                .crashStuck, .unsupported("what a command of the project's commits when is not known"))
        }
        var start = start
        start.foreignKeys = outcome.reached[0].migrations[0].foreignKeys
        let actual = outcome.reached[outcome.reached.count - 1].image
        let pages = outcome.reached.reduce(into: Set<UInt32>()) { $0.formUnion($1.footprint.pages) }
        // Where one finding is made small, the kind of crash that gives it is needed, and no other.
        let kinds = context.catcher == nil ? [limits] : limits.kinds
        for kind in kinds {
            let check = CrashCheck(
                context: context, watchdog: inputs.watchdog, inspector: inputs.inspector,
                pending: opened.plan.pending,
                limits: kind)
            let found = try await check.run(batch, from: before.image, start, (actual, pages))
            note(found, kind, &record)
            let step = ReplayedSteps.Last(batch, from: before, record.steps.temporaries)
            if scenes.handOver(found.findings, of: step, by: .crashes(kind)) { break }
        }
        let carried = batch.last { $0.mayLeaveSettings } ?? start.carriedFrom
        self.start = try await opened.database.withConnection { connection in
            var next = CrashStart(carriedFrom: carried)
            try next.note(connection)
            return next
        }
    }

    private func note(
        _ found: CrashCheck.Outcome, _ limits: CrashLimits, _ record: inout ReplayRecord
    ) {
        for finding in found.findings { record.add(finding) }
        for missing in found.notChecked { record.notChecked(missing.rule, missing.cause) }
        record.result.summary.crashStates = (record.result.summary.crashStates ?? 0) + found.states
        if limits.includesWrites {
            record.result.summary.crashPowerCuts =
                (record.result.summary.crashPowerCuts ?? 0) + found.powerCuts
        }
        record.result.summary.crashFaults = (record.result.summary.crashFaults ?? 0) + found.faults
    }
}
