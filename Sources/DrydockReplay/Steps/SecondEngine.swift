import DatabaseEngine
import DrydockFindings

/// Repeats the steps of a replay on a second engine, which must have the same result for each.
package struct SecondEngine: StepCheck {
    package let engine: any Engine

    package init(engine: any Engine) {
        self.engine = engine
    }

    package var repeatsSteps: Bool { true }

    package func observer(of inputs: ReplayInputs) -> any StepObserver {
        EngineObserver(inputs: inputs, other: engine)
    }
}

private struct EngineObserver: StepObserver {
    let inputs: ReplayInputs
    let other: any Engine

    func observe(_ run: ObservedRun, _ record: inout ReplayRecord) async throws -> [Finding] {
        guard let conditions = run.conditions else { return [] }
        let outcome = try await EngineComparison(
            context: inputs.context, other: other, watchdog: inputs.watchdog, conditions: conditions
        )
        .run(run.batch, from: run.before.image, run.outcome)
        if let missing = outcome.notChecked { record.notChecked(missing.rule, missing.cause) }
        guard let finding = outcome.finding else { return [] }
        record.add(finding)
        return [finding]
    }
}
