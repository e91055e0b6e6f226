import DrydockFindings
import DrydockMigrations
import DrydockState

/// A check of steps that runs only if requested: of crashes, other libraries, another engine, the way back.
///
/// ``ReplayContext/checks`` has those of a run; each makes an observer for each replay.
package protocol StepCheck: Sendable {
    /// Whether steps are run again elsewhere, so that all runs must see the same time and random numbers.
    var repeatsSteps: Bool { get }

    /// Whether a later run may begin at a step, and leave out what was found before.
    var allowsCheckpoints: Bool { get }

    func observer(of inputs: ReplayInputs) -> any StepObserver
}

/// Observes the steps of one replay and records what it finds. It changes nothing of what the steps do.
package protocol StepObserver {
    /// Called when the rules have judged a step.
    /// - Returns: the findings, which are in the record.
    mutating func observe(_ step: JudgedStep, _ record: inout ReplayRecord) async throws -> [Finding]

    /// Called after a batch of migrations, when the rules have judged its steps, or it failed.
    /// - Returns: the findings, which are in the record.
    mutating func observe(_ run: ObservedRun, _ record: inout ReplayRecord) async throws -> [Finding]
}

extension StepCheck {
    package var repeatsSteps: Bool { false }
    package var allowsCheckpoints: Bool { false }
}

extension StepObserver {
    package func observe(_ step: JudgedStep, _ record: inout ReplayRecord) async throws -> [Finding] { [] }
    package func observe(_ run: ObservedRun, _ record: inout ReplayRecord) async throws -> [Finding] { [] }
}

/// What a step, or a batch of them, began with.
package struct StepStart: Sendable {
    /// Several where the states between them cannot be observed.
    package let migrations: [Migration]
    package let before: DatabaseState
    /// Temporary tables that earlier migrations left on the connection.
    package let temporaries: Set<String>

    package init(migrations: [Migration], before: DatabaseState, temporaries: Set<String>) {
        self.migrations = migrations
        self.before = before
        self.temporaries = temporaries
    }
}

/// A step that the rules have judged.
package struct JudgedStep {
    package let start: StepStart
    package let reached: BatchRun.Reached
    package let after: DatabaseState

    package init(start: StepStart, reached: BatchRun.Reached, after: DatabaseState) {
        self.start = start
        self.reached = reached
        self.after = after
    }
}

/// A batch of migrations that ran on a replay's database, or failed.
package struct ObservedRun {
    package let start: StepStart
    /// What the engine made of it.
    package let outcome: BatchRun.Outcome
    /// The index of a state that GRDB's own check of foreign keys would have refused; nil where it refuses none.
    package var refused: Int?
    /// The time and the random numbers of the run; nil where it is not repeated.
    package let conditions: EngineComparison.Conditions?
    package let opened: OpenedSnapshot

    package init(
        start: StepStart, outcome: BatchRun.Outcome, refused: Int? = nil,
        conditions: EngineComparison.Conditions?,
        opened: OpenedSnapshot
    ) {
        self.start = start
        self.outcome = outcome
        self.refused = refused
        self.conditions = conditions
        self.opened = opened
    }

    package var batch: [Migration] { start.migrations }
    package var before: DatabaseState { start.before }
    /// What the tool would have made of it.
    package var judged: BatchRun.Outcome { refused.map(outcome.refused) ?? outcome }
}

/// The observers of one replay.
package struct StepObservers {
    private let inputs: ReplayInputs
    private var observers: [(check: any StepCheck, observer: any StepObserver)]

    package init(_ inputs: ReplayInputs) {
        self.inputs = inputs
        observers = inputs.context.checks.map { ($0, $0.observer(of: inputs)) }
    }

    /// - Returns: whether the run's listener has what it waits for.
    @discardableResult
    package mutating func observe(_ step: JudgedStep, _ record: inout ReplayRecord) async throws -> Bool {
        for index in observers.indices {
            let findings = try await observers[index].observer.observe(step, &record)
            if inputs.hear(findings, of: step.start, by: observers[index].check) { return true }
        }
        return false
    }

    package mutating func observe(_ run: ObservedRun, _ record: inout ReplayRecord) async throws {
        for index in observers.indices {
            let findings = try await observers[index].observer.observe(run, &record)
            inputs.hear(findings, of: run.start, by: observers[index].check)
        }
    }
}
