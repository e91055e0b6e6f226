import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// Replays one snapshot from its version to the newest, and holds every rule on the way.
struct SnapshotReplay {
    let context: ReplayContext
    let snapshot: Snapshot
    let fresh: FreshInstall
    let watchdog: Watchdog
    let onEvent: @Sendable (VerifyEvent) -> Void

    var result: ReplayResult
    /// What the steps' rules found, each with how many steps had been taken.
    var stepFindings: [(finding: StepFinding, step: Int)] = []
    var trail = NameTrail()
    var integrity: IntegrityCheck?
    /// The migration that is being run or judged.
    private var current: String?

    init(
        context: ReplayContext, snapshot: Snapshot, fresh: FreshInstall, watchdog: Watchdog,
        onEvent: @escaping @Sendable (VerifyEvent) -> Void
    ) {
        self.context = context
        self.snapshot = snapshot
        self.fresh = fresh
        self.watchdog = watchdog
        self.onEvent = onEvent
        result = ReplayResult(summary: ReplaySummary(snapshot: snapshot.path))
    }

    var inspector: StateInspector { context.inspector(watchdog) }

    /// - Throws: only CancellationError; whatever else goes wrong is a finding.
    mutating func run() async throws {
        let start = ContinuousClock.now
        do {
            let opener = SnapshotOpener(engine: context.engine, settings: context.settings(watchdog))
            let overlay = try await opener.open(snapshot)
            do {
                try await replay(on: overlay)
            } catch {
                // Bytes that were pulled away explain whatever SQLite made of them.
                try overlay.checkUnchanged()
                throw error
            }
            try overlay.checkUnchanged()
        } catch {
            try Task.checkCancellation()
            note(failure: error)
        }
        settle(nil)
        result.summary.seconds = (ContinuousClock.now - start).inSeconds
    }

    // MARK: - The whole

    private mutating func replay(on overlay: Overlay) async throws {
        let database = try await open(overlay)
        do {
            guard let plan = try await makePlan(database) else { return try await database.close() }
            let base = overlay.freeze().image
            guard let baseline = try await takeBaseline(base) else { return try await database.close() }
            let end = try await run(plan, on: database, overlay, from: baseline)
            try await database.close()
            settle(end)
            let isWhole = result.summary.steps.count == plan.pending.count
            try await checkIntegrity(at: end)
            checkSchema(at: end, plan, isWhole: isWhole)
            if isWhole { try await checkIdempotence(at: end) }
        } catch {
            try? await database.close()
            throw error
        }
    }

    private func open(_ overlay: Overlay) async throws -> any OpenDatabase {
        do {
            let database = try await context.engine.open(overlay, settings: context.settings(watchdog))
            try await database.withConnection { connection in
                _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
                try connection.checkpoint()
            }
            return database
        } catch let error as EngineError where !error.isInterrupt {
            throw SnapshotFault(
                message: "\(snapshot.path) cannot be opened: \(error.message)",
                help: error.isCorruption
                    ? "Its header or schema is damaged. Replace it with a good copy." : "")
        }
    }

    private mutating func makePlan(_ database: any OpenDatabase) async throws -> ReplayPlan? {
        let format = context.set.format
        let applied = try await database.withConnection { try format.appliedIdentifiers($0) }
        guard let applied else {
            add(
                Finding(
                    .snapshotVersionUnknown, "\(snapshot.path) does not tell which migrations it has applied",
                    help:
                        "It has tables but no \(format.historyTable) table that says so. Make snapshots with the app or tool that "
                        + "migrates them, so that the history is there."))
            return nil
        }
        let plan = ReplayPlan(applied: applied, set: context.set, targetCount: context.targetCount)
        result.summary.from = plan.from
        result.summary.to = plan.from
        result.isUpToDate = plan.pending.isEmpty
        result.applied = Set(applied)
        for finding in plan.findings(for: snapshot) { add(finding) }
        return plan
    }

    /// What the snapshot's own faults are, before anything is replayed; nil when it is too damaged to go on.
    private mutating func takeBaseline(_ image: Image) async throws -> DatabaseState? {
        let state = try await inspector.inspect(image, earlier: nil)
        let catalog = state.catalog
        let check = try await inspector.withConnection(to: image) { try IntegrityCheck($0, catalog: catalog) }
        for reason in check.notChecked { notChecked(.integrityFailure, reason) }
        for reason in state.notChecked { notChecked(reason.rule, reason.reason) }
        guard check.damage.isEmpty else {
            add(
                Finding(
                    .integrityFailure, "\(snapshot.path) is damaged: \(check.damage[0])",
                    help:
                        "It was not replayed: no verdict on a damaged file would mean anything. Recover it with "
                        + "sqlite3's .recover, or take another copy.",
                    tags: [.preExisting],
                    evidence: Evidence(details: Array(check.damage.dropFirst().prefix(Evidence.detailLimit))))
            )
            return nil
        }
        integrity = check
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
            add(
                Finding(
                    fault.id.rule, .note, "\(fault.message), in the snapshot as it is", table: fault.table,
                    tags: [.preExisting], evidence: fault.evidence))
        }
        return state
    }

    // MARK: - Steps

    private mutating func run(
        _ plan: ReplayPlan, on database: any OpenDatabase, _ overlay: Overlay, from baseline: DatabaseState
    ) async throws -> DatabaseState {
        var state = baseline
        for (number, index) in plan.pending.enumerated() {
            let migration = context.set.migrations[index]
            onEvent(
                .step(
                    snapshot: snapshot.path, migration: migration.identifier, number: number + 1,
                    of: plan.pending.count))
            result.triedMigrations.insert(migration.identifier)
            current = migration.identifier
            guard migration.fault == nil else {
                notChecked(
                    .migrationFailed,
                    "\(snapshot.path) stopped before \(migration.identifier), which cannot be read")
                break
            }
            if let statement = StaticChecks.transactionStatement(in: migration) {
                add(
                    Finding(
                        .migrationFailed,
                        "\(migration.identifier) was not run: it would end its runner's transaction",
                        help: "See transaction-ended.", migration: migration.identifier,
                        place: .init(statement)))
                break
            }
            do {
                let run = MigrationRun(migration)
                let start = ContinuousClock.now
                let statementSeconds = try await run.apply(to: database)
                let seconds = (ContinuousClock.now - start).inSeconds
                try await database.withConnection { try $0.checkpoint() }
                let (image, footprint) = overlay.freeze()
                result.summary.steps.append(
                    .init(
                        migration: migration.identifier, seconds: seconds,
                        pagesWritten: footprint.pages.count,
                        bytesWritten: footprint.byteCount, statementSeconds: statementSeconds))
                result.summary.to = migration.identifier
                state = try await judge(migration, from: state, to: image)
            } catch {
                guard let finding = try await migrationFailure(error, migration, index, state) else {
                    throw error
                }
                add(finding)
                break
            }
        }
        return state
    }

    /// Holds the rules over one step; gives the state after it.
    private mutating func judge(
        _ migration: Migration, from before: DatabaseState, to image: Image
    ) async throws -> DatabaseState {
        let after = try await inspector.inspect(
            image, earlier: before, foreignKeysAreProven: migration.foreignKeyChecks == .deferred)
        for reason in after.notChecked { notChecked(reason.rule, reason.reason) }
        let verification = StepVerification(
            migration: migration, declarations: context.declarations[migration.identifier] ?? [],
            before: before,
            after: after, inspector: inspector, engine: context.engine)
        let outcome = try await verification.run()
        result.summary.rowsCompared += outcome.rowsCompared
        result.usedDeclarations[migration.identifier, default: []].formUnion(outcome.usedDeclarations)
        result.declarationFindings += outcome.declarationFindings
        for reason in outcome.notChecked { notChecked(reason.rule, reason.reason) }
        trail.append(outcome.names)
        stepFindings += outcome.findings.map { pending in
            var pending = pending
            pending.finding.migration = migration.identifier
            pending.finding.place = pending.finding.place ?? .init(file: migration.path)
            return (pending, trail.steps.count)
        }
        return after
    }

    /// What a failed migration tells; nil when it was no migration's failure but a stop.
    private func migrationFailure(
        _ error: any Error, _ migration: Migration, _ index: Int, _ state: DatabaseState
    ) async throws -> Finding? {
        let failure = MigrationFailure(migration: migration, error: error)
        guard !watchdog.isTripped, var finding = failure.finding else { return nil }
        if failure.isForeignKeyCheck {
            finding = try await ForeignKeyFailure(
                migration: migration, before: state, engine: context.engine, inspector: inspector
            ).explaining(finding)
        }
        if fresh.passes(index) { finding.tags.append(.dataDependent) }
        return finding
    }

    // MARK: - Notes

    mutating func add(_ finding: Finding) {
        var finding = finding
        finding.snapshot = snapshot.path
        result.findings.append(finding)
    }

    mutating func notChecked(_ rule: Rule, _ reason: String) {
        let entry = NotChecked(rule, snapshot: snapshot.path, reason: reason)
        if !result.notChecked.contains(entry) { result.notChecked.append(entry) }
    }

    private mutating func note(failure error: any Error) {
        if watchdog.isTimeUp {
            return add(
                Finding(
                    .timeLimit,
                    "\(snapshot.path) was not verified within the time limit"
                        + (current.map { "; it was at \($0)" } ?? ""),
                    help: "Give it longer with --timeout.", migration: current))
        }
        switch error {
        case let fault as SnapshotFault:
            var finding = Finding(.snapshotUnreadable, fault.message, help: fault.help, place: fault.place)
            finding.redactedMessage = fault.redactedMessage
            add(finding)
        case let error as OverlayError:
            add(Finding(.snapshotUnreadable, error.description))
        case let error as EngineError where error.isCorruption:
            add(
                Finding(
                    .integrityFailure, "\(snapshot.path) is damaged: \(error.message)",
                    help: "Recover it with sqlite3's .recover, or take another copy."))
        default:
            add(Finding(.snapshotUnreadable, "\(snapshot.path) could not be verified: \(error)"))
        }
    }
}

extension Connection {
    /// Moves what a write-ahead log holds into the database, so that a layer's pages are the step's.
    func checkpoint() throws {
        _ = try rows("PRAGMA wal_checkpoint(TRUNCATE)") { _ in }
    }
}
