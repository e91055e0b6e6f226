import DrydockFindings

/// Undoes every step of a replay, and does it again (``RollbackCheck``).
package struct WayBack: StepCheck {
    package init() {}

    package var allowsCheckpoints: Bool { true }

    package func observer(of inputs: ReplayInputs) -> any StepObserver { WayBackObserver(inputs: inputs) }
}

private struct WayBackObserver: StepObserver {
    let inputs: ReplayInputs

    func observe(_ step: JudgedStep, _ record: inout ReplayRecord) async throws -> [Finding] {
        guard step.reached.migrations.count == 1 else {
            record.notChecked(.rollbackMismatch, .ranTogether(migration: step.reached.step.identifier))
            return []
        }
        let outcome = try await RollbackCheck(
            context: inputs.context, migration: step.reached.step, before: step.start.before,
            after: step.after, watchdog: inputs.watchdog, known: record.steps.findingsOfLastStep
        ).run()
        for finding in outcome.findings { record.add(finding) }
        for missing in outcome.notChecked { record.notChecked(missing.rule, missing.cause) }
        return outcome.findings
    }
}
