import DrydockFindings
import DrydockMigrations
import DrydockState

/// Steps that are to be made small.
extension SnapshotReplay {
    /// Hands the step over if it has the wanted finding, and otherwise keeps it for those of the end.
    /// - Parameter fresh: the schema that the findings compare the step's result with.
    /// - Returns: whether it has, so that nothing behind it matters.
    @discardableResult
    mutating func handOver(
        _ findings: [Finding], of step: ReplayedSteps.Last, comparedWith fresh: Catalog? = nil
    ) -> Bool {
        let migrations = step.migrations
        guard let catcher = context.catcher else { return false }
        steps.last = step
        let reported = findings.filter { finding in
            !migrations.contains { $0.identifier == finding.migration && $0.ignore(of: finding) != nil }
        }
        return catcher.takes(
            reported, of: snapshot.path,
            StepScene(
                migrations: migrations, before: step.before, context: context, watchdog: watchdog,
                chronicle: chronicle, temporaries: step.temporaries, fresh: fresh))
    }
}
