import DrydockFindings
import DrydockState

/// Ways back of a replay's steps.
extension SnapshotReplay {
    /// Undoes a step and does it again, and adds what is found.
    /// - Returns: the findings.
    @discardableResult
    mutating func checkRollback(
        _ reached: BatchRun.Reached, from before: DatabaseState, to after: DatabaseState
    ) async throws -> [Finding] {
        guard reached.migrations.count == 1 else {
            notChecked(.rollbackMismatch, .ranTogether(migration: reached.step.identifier))
            return []
        }
        let outcome = try await RollbackCheck(
            context: context, migration: reached.step, before: before, after: after, watchdog: watchdog,
            known: steps.findingsOfLastStep
        ).run()
        for finding in outcome.findings { add(finding) }
        for missing in outcome.notChecked { notChecked(missing.rule, missing.cause) }
        return outcome.findings
    }
}
