import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// Replays one snapshot from its version to the newest, and checks every rule on the way.
///
/// The snapshot passes through three phases, each a type that has what is known by then: ``OpenedSnapshot``,
/// ``BaselinedSnapshot`` and ``ReplayedSnapshot``.
struct SnapshotReplay {
    let context: ReplayContext
    let snapshot: Snapshot
    let fresh: FreshInstall
    let watchdog: Watchdog
    let onEvent: @Sendable (VerifyEvent) -> Void

    var result: ReplayResult
    /// What the steps so far have found, also where the replay fails.
    var steps = ReplayedSteps()
    let chronicle: Chronicle
    /// The random numbers for steps that are repeated elsewhere.
    let random: RandomSource?
    /// The migration that is being run or checked.
    var current: String?
    /// The state that is replayed; nil where it is that of the snapshot's file.
    var later: LaterState?
    /// Where an earlier replay was taken up; nil where all pending migrations are run.
    var resumed: Resumption?

    init(
        context: ReplayContext, snapshot: Snapshot, fresh: FreshInstall, watchdog: Watchdog,
        onEvent: @escaping @Sendable (VerifyEvent) -> Void
    ) {
        (self.context, self.snapshot, self.fresh) = (context, snapshot, fresh)
        (self.watchdog, self.onEvent) = (watchdog, onEvent)
        chronicle = context.chronicle ?? Chronicle(context.set.migrations)
        random = context.repeatsSteps ? RandomSource() : nil
        result = ReplayResult(summary: ReplaySummary(snapshot: snapshot.path))
    }

    var inspector: StateInspector { context.inspector(watchdog) }

    /// - Throws: only CancellationError; any other failure is a finding.
    mutating func run() async throws {
        if let later { return try await run(on: Overlay(later.image, isFork: false)) }
        let start = ContinuousClock.now
        var failure: (any Error)?
        do {
            let stat = SnapshotStat(of: snapshot.path)
            let opener = SnapshotOpener(engine: context.engine, settings: context.settings(watchdog))
            let overlay = try await opener.open(snapshot)
            addLogDamage()
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
        try conclude(after: failure, since: start)
    }

    /// Replays what an overlay has, which is not the snapshot's own content.
    /// - Throws: only CancellationError; any other failure is a finding.
    mutating func run(on overlay: Overlay) async throws {
        let start = ContinuousClock.now
        var failure: (any Error)?
        do {
            try await replay(on: overlay)
        } catch {
            failure = error
        }
        try conclude(after: failure, since: start)
    }

    /// Adds what is known once nothing more is run.
    /// - Throws: only CancellationError.
    mutating func conclude(after failure: (any Error)?, since start: ContinuousClock.Instant) throws {
        if let failure {
            try Task.checkCancellation()
            note(failure: failure)
        }
        // Without an end, nothing shows that a later step fixed anything.
        for finding in steps.settled(at: nil) { add(finding) }
        // Code that queries SQLite may take an interrupted query for one without results.
        if watchdog.hasCutShort, !result.findings.contains(where: { $0.rule == .timeLimit }) { addOverdue() }
        result.summary.seconds = (ContinuousClock.now - start).inSeconds
    }

    // MARK: - The whole replay

    /// - Parameter stat: from before the snapshot was opened; nil where it is not what is replayed.
    private mutating func replay(on overlay: Overlay, since stat: SnapshotStat? = nil) async throws {
        let recognition = try recognise(overlay, since: stat)
        let database = try await open(overlay)
        do {
            try await lookForExpectedName(database)
            guard let plan = try await makePlan(database) else {
                try await begin(at: overlay.freeze().image)
                return try await database.close()
            }
            let opened = OpenedSnapshot(
                overlay: overlay, database: database, plan: plan, recognition: recognition,
                image: overlay.freeze().image)
            // A connection would not notice what a command writes.
            if context.command != nil { try await database.close() }
            if context.isRehearsal { result.base = opened.image }
            guard let baselined = try await takeBaseline(of: opened) else {
                if context.command == nil { try await database.close() }
                return
            }
            if context.isRehearsal { result.baseline = baselined }
            begin(at: baselined.state, plan)
            let end = try await run(opened, from: baselined)
            if context.command == nil { try await database.close() }
            // What is made small is known, and nothing else is wanted.
            if context.catcher?.first != nil { return }
            try await check(
                ReplayedSnapshot(
                    baseline: baselined, plan: plan, end: end,
                    isWhole: plan.pending.count == result.summary.steps.count))
        } catch {
            try? await database.close()
            throw error
        }
    }

    /// Makes the checks of the end.
    mutating func check(_ replayed: ReplayedSnapshot) async throws {
        for finding in steps.settled(at: replayed.end) { add(finding) }
        try await checkMoves(of: replayed)
        if context.isRehearsal { result.end = replayed.end.image }
        result.summary.pendingCount = replayed.plan.pending.count - result.summary.steps.count
        if result.summary.rowsCompared == 0, await hasNoRows(replayed.baseline.state) {
            result.summary.hasNoRows = true
        }
        try await checkIntegrity(of: replayed)
        checkSchema(of: replayed)
        if replayed.isWhole { try await checkIdempotence(at: replayed.end) }
    }

    func open(_ overlay: Overlay) async throws -> any OpenDatabase {
        do {
            var settings = context.settings(watchdog)
            settings.random = random
            return try await context.engine.openWhole(overlay, settings: settings)
        } catch let error as EngineError where !error.isInterrupt {
            throw SnapshotFault(
                snapshot.path, "cannot be opened: \(error.message)",
                help: error.isCorruption
                    ? "Its header or schema is damaged. Replace it with a good copy." : "")
        }
    }

    /// Determines the snapshot's own faults, before anything is replayed; nil when it is too damaged to continue.
    mutating func takeBaseline(of opened: OpenedSnapshot) async throws -> BaselinedSnapshot? {
        let start = try await start(of: opened)
        let (state, check) = (start.state, start.integrity)
        for reason in check.notChecked { notChecked(.integrityFailure, .refused(reason)) }
        for reason in state.notChecked { notChecked(reason.rule, reason.cause) }
        guard check.damage.isEmpty else {
            add(
                Finding(
                    .integrityFailure, of: snapshot.path, "is damaged: \(check.damage[0])",
                    help:
                        "It was not replayed: no verdict on a damaged file would mean anything. Recover it with "
                        + "sqlite3's .recover, or take another copy.",
                    tags: [.preExisting],
                    evidence: Evidence(details: Array(check.damage.dropFirst().prefix(Evidence.detailLimit))))
            )
            return nil
        }
        if !check.brokenConstraints.isEmpty {
            let messages = check.brokenConstraints
            add(
                Finding(
                    .integrityFailure, .note,
                    "the snapshot has rows that break its own constraints: \(messages[0])",
                    tags: [.preExisting],
                    evidence: Evidence(details: Array(messages.prefix(Evidence.detailLimit)))))
        }
        for fault in state.faults {
            var finding = Finding(
                fault.id.rule, .note, "\(fault.message), in the snapshot as it is", table: fault.table,
                column: fault.column, tags: [.preExisting], evidence: fault.evidence)
            finding.redactedMessage = fault.redactedMessage.map { "\($0), in the snapshot as it is" }
            add(finding)
        }
        return start
    }

    // MARK: - Steps

    /// Runs the pending migrations, as far as they can be run, and returns the state that they lead to.
    private mutating func run(
        _ opened: OpenedSnapshot, from baselined: BaselinedSnapshot
    ) async throws -> DatabaseState {
        guard let walk = checkpoints(of: opened, baselined) else {
            return try await run(opened, from: baselined.state)
        }
        guard let last = walk.last else {
            return try await run(opened, from: baselined.state, noting: walk)
        }
        return try await run(opened, from: last, noting: walk)
    }

    /// Runs those pending migrations that have not been run yet.
    mutating func run(
        _ opened: OpenedSnapshot, from start: DatabaseState,
        noting walk: CheckpointedWalk<ReplayCheckpoint>? = nil
    ) async throws -> DatabaseState {
        let (plan, overlay) = (opened.plan, opened.overlay)
        var state = start
        var number = result.summary.steps.count
        for batch in context.set.batches(of: Array(plan.pending.dropFirst(number))) {
            let (ready, isCut) = runnable(batch)
            guard !ready.isEmpty else { break }
            let (onEvent, path, count) = (onEvent, snapshot.path, plan.pending.count)
            let numbers = Dictionary(
                ready.enumerated().map { ($1.identifier, number + $0 + 1) },
                uniquingKeysWith: { first, _ in first })
            var run = BatchRun(set: context.set, database: opened.database, overlay: overlay)
            run.command = context.commandRun(watchdog)
            run.starting = { migration in
                let number = numbers[migration.identifier] ?? 0
                onEvent(
                    .step(snapshot: path, migration: migration.identifier, number: number, of: count))
            }
            number += ready.count
            current = ready[0].identifier
            let moment = repeatableMoment(on: overlay)
            var outcome = try await run.run(ready)
            outcome.obstacle = outcome.failure.flatMap { WriteObstacle(overlay).cause(of: $0.error) }
            try await compareEngines(ready, from: state, outcome, at: moment)
            let beforeBatch = state
            for (index, reached) in outcome.reached.enumerated() {
                note(reached)
                let after = try await inspect(reached, from: state)
                if let finding = try await refusal(reached, after, from: state) {
                    removeCounts(reached)
                    add(finding)
                    try await repeatOnLibraries(
                        ready, outcome.refused(at: index), from: beforeBatch, at: moment)
                    handOver([finding], of: .init(reached.migrations, from: state, steps.temporaries))
                    return state
                }
                let (before, temporaries) = (state, steps.temporaries)
                state = try await judge(reached.step, from: before, to: after)
                let last = ReplayedSteps.Last(reached.migrations, from: before, temporaries)
                if handOver(steps.findingsOfLastStep, of: last) { return state }
                if context.checksRollback {
                    let findings = try await checkRollback(reached, from: before, to: state)
                    if handOver(findings, of: last, by: .rollback) { return state }
                }
                // A batch that is cut has a finding about a migration behind this one, which may be edited.
                if let walk, !isCut, walk.wants(result.summary.steps.count) {
                    let next = outcome.reached.dropFirst(index + 1).first?.migrations.first
                    try await keep(state, before: next, opened.database, in: walk)
                }
            }
            try await repeatOnLibraries(ready, outcome, from: beforeBatch, at: moment)
            if let (migration, error) = outcome.failure {
                current = migration.identifier
                let index = context.set.index(of: migration.identifier) ?? 0
                guard let finding = try await migrationFailure(error, migration, index, state) else {
                    throw error
                }
                add(WriteObstacle(overlay).explaining(finding, error))
                handOver([finding], of: .init([migration], from: state, steps.temporaries))
                break
            }
            try await checkCrashes(ready, outcome, from: beforeBatch, opened)
            if isCut || context.catcher?.first != nil { break }
        }
        return state
    }

    /// Returns the migrations of a batch up to one that is not even tried, and whether there is one.
    mutating func runnable(_ batch: [Int]) -> (ready: [Migration], isCut: Bool) {
        var ready: [Migration] = []
        for migration in batch.map({ context.set.migrations[$0] }) {
            result.triedMigrations.insert(migration.identifier)
            if let fault = migration.fault {
                if migration.isFaultyWhenPending { result.migrationFindings.append(fault) }
                notChecked(
                    .migrationFailed, .stopped(snapshot: snapshot.path, before: migration.identifier))
                return (ready, true)
            }
            if migration.isCode {
                result.stoppedAtCode = migration.identifier
                return (ready, true)
            }
            if StaticChecks.refusedStatement(in: migration) != nil {
                // `transaction-ended` is reported of every migration that is tried.
                notChecked(
                    .migrationFailed, .stopped(snapshot: snapshot.path, before: migration.identifier))
                return (ready, true)
            }
            ready.append(migration)
        }
        return (ready, false)
    }

    mutating func inspect(
        _ reached: BatchRun.Reached, from before: DatabaseState
    ) async throws -> DatabaseState {
        let after = try await inspector.inspect(
            reached.image, earlier: before, footprint: reached.footprint,
            statements: reached.step.statements)
        if after.changes?.dirty == nil {
            steps.changedPages = nil
            resumed?.changedPages = nil
        }
        steps.changedPages?.formUnion(reached.footprint.pages)
        resumed?.changedPages?.formUnion(reached.footprint.pages)
        for path in reached.footprint.otherFiles { notCompared(path, reached.step) }
        return after
    }

    /// Returns what GRDB's own check before the commit would have reported for a migration that ran without it.
    func refusal(
        _ reached: BatchRun.Reached, _ after: DatabaseState, from before: DatabaseState
    ) async throws -> Finding? {
        guard reached.owesForeignKeyCheck, let migration = reached.migrations.last,
            after.faults.contains(where: ForeignKeyRule.isRefused),
            let index = context.set.index(of: migration.identifier)
        else { return nil }
        return try await migrationFailure(EngineError.foreignKeyCheck, migration, index, before)
    }

    /// Checks the rules for one step, and returns the state after it.
    mutating func judge(
        _ migration: Migration, from before: DatabaseState, to after: DatabaseState
    ) async throws -> DatabaseState {
        for reason in after.notChecked { notChecked(reason.rule, reason.cause) }
        var verification = StepVerification(
            migration: migration, declarations: migration.declarations,
            before: before,
            after: after, inspector: inspector, engine: context.engine, format: context.set.format,
            chronicle: chronicle,
            temporaries: steps.temporaries, searched: steps.searched)
        verification.former = steps.former
        let outcome = try await verification.run()
        result.summary.rowsCompared += outcome.rowsCompared
        result.summary.tablesUntouched += outcome.tablesUntouched
        let missed = outcome.tablesNotCompared + after.notChecked.count { $0.rule == .rowsLost }
        if missed > 0 { result.summary.tablesNotCompared = (result.summary.tablesNotCompared ?? 0) + missed }
        result.usedDeclarations[migration.identifier, default: []].formUnion(outcome.usedDeclarations)
        result.migrationFindings += outcome.declarationFindings
        for reason in outcome.notChecked { notChecked(reason.rule, reason.cause) }
        steps.append(outcome, of: migration)
        var after = after
        after.searchEntries = steps.searched.compactMapValues(\.count)
        return after
    }

    /// Returns the finding for a failed migration; nil when the run was stopped instead.
    func migrationFailure(
        _ error: any Error, _ migration: Migration, _ index: Int, _ state: DatabaseState
    ) async throws -> Finding? {
        let explained = try await FailureReport(context: context, watchdog: watchdog)
            .finding(MigrationFailure(migration: migration, error: error), state)
        guard var finding = explained else { return nil }
        if fresh.passes(index) { finding.tags.append(.dataDependent) }
        return finding
    }
}
