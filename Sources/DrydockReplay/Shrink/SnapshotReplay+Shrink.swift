import DrydockFindings
import DrydockMigrations
import DrydockState

/// Steps that are to be made small.
extension SnapshotReplay {
    /// Hands the step over if it has the wanted finding.
    /// - Returns: whether it has, so that nothing behind it matters.
    @discardableResult
    func handOver(
        _ findings: [Finding], of migrations: [Migration], _ before: DatabaseState, _ temporaries: Set<String>
    ) -> Bool {
        guard let catcher = context.catcher else { return false }
        let reported = findings.filter { finding in
            !migrations.contains { $0.identifier == finding.migration && $0.ignore(of: finding) != nil }
        }
        return catcher.takes(
            reported, of: snapshot.path,
            StepScene(
                migrations: migrations, before: before, context: context, watchdog: watchdog,
                chronicle: chronicle, temporaries: temporaries))
    }
}
