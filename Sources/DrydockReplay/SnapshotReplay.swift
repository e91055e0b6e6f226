import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS

/// Replays one snapshot from its version to the newest, and checks every rule on the way.
///
/// The snapshot passes through three phases, each a type that has what is known by then: ``OpenedSnapshot``,
/// ``BaselinedSnapshot`` and ``ReplayedSnapshot``. ``StepRunner`` runs the steps; everything else looks at what they led to.
package struct SnapshotReplay {
    package let inputs: ReplayInputs
    /// The state that is replayed; nil where it is that of the snapshot's file.
    private let later: LaterState?
    private let onEvent: @Sendable (VerifyEvent) -> Void
    private let start: ReplayStart
    private let inspection: StepInspection
    private var observers: StepObservers
    private var record: ReplayRecord

    /// - Parameter later: the state that is replayed; nil for that of the snapshot's file.
    package init(
        context: ReplayContext, snapshot: Snapshot, fresh: FreshInstall, watchdog: Watchdog,
        later: LaterState? = nil, onEvent: @escaping @Sendable (VerifyEvent) -> Void
    ) {
        inputs = ReplayInputs(context: context, snapshot: snapshot, fresh: fresh, watchdog: watchdog)
        (self.later, self.onEvent) = (later, onEvent)
        (start, inspection) = (ReplayStart(inputs: inputs), StepInspection(inputs: inputs))
        observers = StepObservers(inputs)
        record = ReplayRecord(of: snapshot)
    }

    package var result: ReplayResult { record.result }

    private var context: ReplayContext { inputs.context }

    /// - Throws: only CancellationError; any other failure is a finding.
    package mutating func run() async throws {
        if let later { return try await run(on: Overlay(later.image, isFork: false)) }
        let begin = ContinuousClock.now
        var failure: (any Error)?
        do {
            let stat = SnapshotStat(of: inputs.snapshot.path)
            let opener = SnapshotOpener(engine: context.engine, settings: context.settings(inputs.watchdog))
            let overlay = try await opener.open(inputs.snapshot)
            if let finding = start.logDamage() { record.add(finding) }
            do {
                try await replay(on: overlay, since: stat)
            } catch {
                // A file that was changed meanwhile explains any result of SQLite.
                try overlay.checkUnchanged()
                throw error
            }
            try overlay.checkUnchanged()
        } catch {
            failure = error
        }
        try ReplayConclusion(inputs: inputs).conclude(&record, after: failure, since: begin)
    }

    /// Replays what an overlay has, which is not the snapshot's own content.
    /// - Throws: only CancellationError; any other failure is a finding.
    package mutating func run(on overlay: Overlay) async throws {
        let begin = ContinuousClock.now
        var failure: (any Error)?
        do {
            try await replay(on: overlay)
        } catch {
            failure = error
        }
        try ReplayConclusion(inputs: inputs).conclude(&record, after: failure, since: begin)
    }

    // MARK: - The whole replay

    /// - Parameter stat: from before the snapshot was opened; nil where it is not what is replayed.
    private mutating func replay(on overlay: Overlay, since stat: SnapshotStat? = nil) async throws {
        let recognition = try ContentRecogniser(inputs: inputs).recognise(overlay, since: stat, &record)
        let database = try await start.open(overlay)
        do {
            record.result.hasExpectedName = try await start.hasExpectedName(database)
            guard let plan = try await start.makePlan(database, &record) else {
                if let listener = context.listener {
                    let state = try await inputs.inspector.inspect(overlay.freeze().image, earlier: nil)
                    listener.begin(at: state, [], inputs)
                }
                return try await database.close()
            }
            let opened = OpenedSnapshot(
                overlay: overlay, database: database, plan: plan, recognition: recognition,
                image: overlay.freeze().image)
            // A connection would not notice what a command writes.
            if context.command != nil { try await database.close() }
            if context.isRehearsal { record.result.base = opened.image }
            guard let baselined = try await start.takeBaseline(of: opened, later, &record) else {
                if context.command == nil { try await database.close() }
                return
            }
            if context.isRehearsal { record.result.baseline = baselined }
            let pending = plan.pending.map { context.set.migrations[$0] }
            context.listener?.begin(at: baselined.state, pending, inputs)
            let end = try await run(opened, from: baselined)
            if context.command == nil { try await database.close() }
            if context.isDone { return }
            let replayed = ReplayedSnapshot(
                baseline: baselined, plan: plan, end: end,
                isWhole: plan.pending.count == record.result.summary.steps.count)
            try await EndChecks(inputs: inputs).run(replayed, &record)
        } catch {
            try? await database.close()
            throw error
        }
    }

    // MARK: - Steps

    /// Runs the pending migrations, as far as they can be run, and returns the state that they lead to. It begins where an
    /// earlier replay of the same snapshot has been.
    private mutating func run(
        _ opened: OpenedSnapshot, from baselined: BaselinedSnapshot
    ) async throws -> DatabaseState {
        guard let walk = context.checkpoints(of: opened.plan, baselined, record) else {
            return try await run(opened, from: baselined.state)
        }
        guard let last = walk.last else {
            return try await run(opened, from: baselined.state, noting: walk)
        }
        return try await run(opened, from: last, noting: walk)
    }

    /// Runs the pending migrations after a checkpoint.
    private mutating func run(
        _ opened: OpenedSnapshot, from checkpoint: ReplayCheckpoint,
        noting walk: CheckpointedWalk<ReplayCheckpoint>
    ) async throws -> DatabaseState {
        record.resume(Resumption(checkpoint: checkpoint, walk: walk))
        let overlay = try Overlay(checkpoint.state.image)
        let database = try await start.open(overlay)
        do {
            try await database.enforceForeignKeys(checkpoint.foreignKeys)
            let again = OpenedSnapshot(
                overlay: overlay, database: database, plan: opened.plan, recognition: opened.recognition,
                image: opened.image)
            let end = try await run(again, from: checkpoint.state, noting: walk)
            try await database.close()
            return end
        } catch {
            try? await database.close()
            throw error
        }
    }

    /// Runs those pending migrations that have not been run yet.
    private mutating func run(
        _ opened: OpenedSnapshot, from start: DatabaseState,
        noting walk: CheckpointedWalk<ReplayCheckpoint>? = nil
    ) async throws -> DatabaseState {
        let runner = StepRunner(inputs, on: opened)
        var state = start
        var number = record.result.summary.steps.count
        for batch in context.set.batches(of: Array(opened.plan.pending.dropFirst(number))) {
            let (ready, isCut) = runner.runnable(batch, &record)
            guard !ready.isEmpty else { break }
            record.current = ready[0].identifier
            let conditions = inputs.repeatableConditions(on: opened.overlay)
            let begin = StepStart(migrations: ready, before: state, temporaries: record.steps.temporaries)
            var outcome = try await runner.run(
                ready, starting: announcement(of: ready, after: number, opened.plan))
            number += ready.count
            outcome.obstacle = outcome.failure.flatMap {
                WriteObstacle(opened.overlay).cause(of: $0.error)
            }
            var run = ObservedRun(start: begin, outcome: outcome, conditions: conditions, opened: opened)
            // A batch that is cut has a finding about a migration behind this one, which may be edited.
            switch try await take(outcome, &state, opened, noting: isCut ? nil : walk) {
            case .done: return state
            case .refused(let index, let finding):
                run.refused = index
                try await observers.observe(run, &record)
                hear(finding, of: outcome.reached[index].migrations, from: state)
                return state
            case .all: try await observers.observe(run, &record)
            }
            if let (migration, error) = outcome.failure {
                record.current = migration.identifier
                let index = context.set.index(of: migration.identifier) ?? 0
                guard let finding = try await inspection.failure(error, migration, index, state) else {
                    throw error
                }
                record.add(WriteObstacle(opened.overlay).explaining(finding, error))
                hear(finding, of: [migration], from: state)
                break
            }
            if isCut || context.isDone { break }
        }
        return state
    }

    /// How far the states of a batch were taken.
    private enum Taken {
        case all
        /// The engine would have refused to commit the one at an index.
        case refused(Int, Finding)
        /// One has what the run's listener waits for.
        case done
    }

    /// Takes the states to which a batch led, one after the other, and checks the rules of each.
    /// - Parameter state: the one before the batch; afterwards the last one that was taken.
    private mutating func take(
        _ outcome: BatchRun.Outcome, _ state: inout DatabaseState, _ opened: OpenedSnapshot,
        noting walk: CheckpointedWalk<ReplayCheckpoint>?
    ) async throws -> Taken {
        for (index, reached) in outcome.reached.enumerated() {
            record.note(reached)
            let after = try await inspection.inspect(reached, from: state, &record)
            if let finding = try await inspection.refusal(reached, after, from: state) {
                record.removeCounts(reached)
                record.add(finding)
                return .refused(index, finding)
            }
            let start = StepStart(
                migrations: reached.migrations, before: state, temporaries: record.steps.temporaries)
            state = try await inspection.judge(reached.step, from: start.before, to: after, &record)
            if inputs.hear(record.steps.findingsOfLastStep, of: start) { return .done }
            let judged = JudgedStep(start: start, reached: reached, after: state)
            if try await observers.observe(judged, &record) { return .done }
            if let walk, walk.wants(record.result.summary.steps.count) {
                let next = outcome.reached.dropFirst(index + 1).first?.migrations.first
                try await walk.keep(record, at: state, before: next, opened.database)
            }
        }
        return .all
    }

    private func hear(_ finding: Finding, of migrations: [Migration], from state: DatabaseState) {
        inputs.hear(
            [finding],
            of: StepStart(migrations: migrations, before: state, temporaries: record.steps.temporaries))
    }

    /// Returns what reports that a migration of a batch is about to run.
    /// - Parameter count: the number of pending migrations before the batch.
    private func announcement(
        of batch: [Migration], after count: Int, _ plan: ReplayPlan
    ) -> @Sendable (Migration) -> Void {
        let (onEvent, path, total) = (onEvent, inputs.snapshot.path, plan.pending.count)
        let numbers = Dictionary(
            batch.enumerated().map { ($1.identifier, count + $0 + 1) },
            uniquingKeysWith: { first, _ in first })
        return { migration in
            let number = numbers[migration.identifier] ?? 0
            onEvent(.step(snapshot: path, migration: migration.identifier, number: number, of: total))
        }
    }
}
