import DrydockFindings
import DrydockMigrations
import DrydockState

/// Repeats the steps of a replay on a second engine, where one is requested.
struct EngineRepeats {
    let inputs: ReplayInputs
    let scenes: SceneHandover

    /// - Parameter first: what the usual engine made of the batch.
    func compare(
        _ batch: [Migration], from before: DatabaseState, _ first: BatchRun.Outcome,
        at moment: EngineComparison.Moment?, _ record: inout ReplayRecord
    ) async throws {
        guard let other = inputs.context.other, let moment else { return }
        let outcome = try await EngineComparison(
            context: inputs.context, other: other, watchdog: inputs.watchdog, moment: moment
        )
        .run(batch, from: before.image, first)
        if let missing = outcome.notChecked { record.notChecked(missing.rule, missing.cause) }
        guard let finding = outcome.finding else { return }
        record.add(finding)
        scenes.handOver([finding], of: .init(batch, from: before, record.steps.temporaries), by: .engines)
    }
}
