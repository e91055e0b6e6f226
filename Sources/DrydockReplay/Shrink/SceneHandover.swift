import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS

/// Hands over the states and steps of one replay to a shrink, which wants those that show its finding.
struct SceneHandover {
    let inputs: ReplayInputs

    private var context: ReplayContext { inputs.context }

    /// Notes the state that a replay begins with.
    /// - Parameter plan: nil where nothing is run.
    func begin(at state: DatabaseState, _ plan: ReplayPlan?) {
        guard let catcher = context.catcher else { return }
        let pending = (plan?.pending ?? []).map { context.set.migrations[$0] }
        catcher.begin(
            .init(
                snapshot: inputs.snapshot, context: context, fresh: inputs.fresh,
                start: scene(pending, state, [])))
    }

    /// Notes the state of a snapshot on which nothing is run.
    func begin(at image: Image) async throws {
        guard context.catcher != nil else { return }
        begin(at: try await inputs.inspector.inspect(image, earlier: nil), nil)
    }

    /// Hands the step over if one of its findings is wanted, and otherwise keeps it for findings of the end.
    /// - Returns: whether one is, so that nothing behind it matters.
    @discardableResult
    func handOver(_ findings: [Finding], of step: ReplayedSteps.Last, by check: ShrinkCheck = .step) -> Bool {
        let migrations = step.migrations
        guard let catcher = context.catcher else { return false }
        let reported = findings.filter { finding in
            !migrations.contains { $0.identifier == finding.migration && $0.ignore(of: finding) != nil }
        }
        return catcher.takes(reported, check, scene(migrations, step.before, step.temporaries))
    }

    private func scene(
        _ migrations: [Migration], _ before: DatabaseState, _ temporaries: Set<String>
    ) -> StepScene {
        var context = context
        context.catcher = nil
        return StepScene(
            migrations: migrations, before: before, context: context, watchdog: inputs.watchdog,
            chronicle: inputs.chronicle, temporaries: temporaries)
    }
}
