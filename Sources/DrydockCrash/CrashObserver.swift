import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState

extension CrashLimits: StepCheck {
    package func observer(of inputs: ReplayInputs) -> any StepObserver {
        CrashObserver(inputs: inputs, limits: self)
    }
}

/// Checks what crashes during the steps of a replay lead to.
private struct CrashObserver: StepObserver {
    let inputs: ReplayInputs
    let limits: CrashLimits
    /// What the tool's connection has when the next step begins.
    private var start = CrashStart()

    init(inputs: ReplayInputs, limits: CrashLimits) { (self.inputs, self.limits) = (inputs, limits) }

    mutating func observe(_ run: ObservedRun, _ record: inout ReplayRecord) async throws -> [Finding] {
        let (context, batch, outcome) = (inputs.context, run.batch, run.judged)
        guard outcome.failure == nil, !outcome.reached.isEmpty else { return [] }
        guard context.command == nil else {
            record.notChecked(
                .crashStuck, .unsupported("it is not known what the project's own command commits, and when"))
            return []
        }
        var start = start
        start.foreignKeys = outcome.reached[0].migrations[0].foreignKeys
        let actual = outcome.reached[outcome.reached.count - 1].image
        let pages = outcome.reached.reduce(into: Set<UInt32>()) { $0.formUnion($1.footprint.pages) }
        let check = CrashCheck(
            context: context, watchdog: inputs.watchdog, inspector: inputs.inspector,
            pending: run.opened.plan.pending, limits: limits)
        let found = try await check.run(batch, from: run.before.image, start, (actual, pages))
        note(found, &record)
        let carried = batch.last { $0.mayLeaveSettings } ?? start.carriedFrom
        self.start = try await run.opened.database.withConnection { connection in
            var next = CrashStart(carriedFrom: carried)
            try next.note(connection)
            return next
        }
        return found.findings
    }

    private func note(_ found: CrashCheck.Outcome, _ record: inout ReplayRecord) {
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
