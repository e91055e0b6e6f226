import DrydockFindings
import DrydockMigrations
import DrydockState

/// Listens to replays until one has a certain finding, from which on nothing matters.
package protocol ReplayListener: Sendable {
    /// Whether it has what it waits for.
    var isDone: Bool { get }

    /// - Throws: ``RequestError`` where it waits for something that none of the migrations can have.
    func check(_ set: MigrationSet) throws

    /// Whether it waits for such a finding.
    func wants(_ finding: Finding) -> Bool

    /// Called when the migrations are read in another way from now on.
    func restart()

    /// Called with the state that a replay begins with, and the migrations that will be run.
    func begin(at state: DatabaseState, _ pending: [Migration], _ inputs: ReplayInputs)

    /// Called with what was found of a step.
    /// - Parameter check: what found it; nil for the rules of a step.
    /// - Returns: whether the step has what it waits for.
    func take(
        _ findings: [Finding], of step: StepStart, by check: (any StepCheck)?, _ inputs: ReplayInputs
    ) -> Bool
}

extension ReplayInputs {
    /// Has the run's listener hear what was found of a step.
    /// - Returns: whether it has what it waits for.
    @discardableResult
    func hear(_ findings: [Finding], of step: StepStart, by check: (any StepCheck)? = nil) -> Bool {
        guard let listener = context.listener else { return false }
        let reported = findings.filter { finding in
            !step.migrations.contains { $0.identifier == finding.migration && $0.ignore(of: finding) != nil }
        }
        return listener.take(reported, of: step, by: check, self)
    }
}
