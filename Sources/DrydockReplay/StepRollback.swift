import DrydockFindings
import DrydockState

/// Undoes steps of a replay, and does them again.
struct StepRollback {
    let inputs: ReplayInputs

    /// Undoes a step and does it again, and records what is found.
    /// - Returns: the findings.
    @discardableResult
    func check(
        _ reached: BatchRun.Reached, from before: DatabaseState, to after: DatabaseState,
        _ record: inout ReplayRecord
    ) async throws -> [Finding] {
        guard reached.migrations.count == 1 else {
            record.notChecked(.rollbackMismatch, .ranTogether(migration: reached.step.identifier))
            return []
        }
        let outcome = try await RollbackCheck(
            context: inputs.context, migration: reached.step, before: before, after: after,
            watchdog: inputs.watchdog,
            known: record.steps.findingsOfLastStep
        ).run()
        for finding in outcome.findings { record.add(finding) }
        for missing in outcome.notChecked { record.notChecked(missing.rule, missing.cause) }
        return outcome.findings
    }
}
