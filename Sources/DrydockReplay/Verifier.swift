import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// An event during a run.
public enum VerifyEvent: Sendable {
    /// The snapshots that will be replayed are known.
    case began(snapshots: [String])
    /// A migration is about to run on a snapshot; `number` is its position among the pending ones, counted from 1.
    case step(snapshot: String, migration: String, number: Int, of: Int)
    /// A snapshot is complete; these events come in the order of the report.
    case replayed(ReplaySummary, [Finding])
}

/// Replays every snapshot to the newest version and proves that nothing was lost.
public struct Verifier: Sendable {
    let engine: any Engine
    let other: (any Engine)?
    let generator: (any RowGenerator)?
    /// What is kept for the next run of the same request; nil where there will be none.
    package var memory: ReplayMemory?
    /// What the runs for other databases have made; nil where there is only this one.
    package var share: ReplayShare?
    /// The state that is replayed in place of the snapshot's file; nil where there is none.
    package var later: LaterState?
    /// Takes the step that is made small; nil where none is.
    var catcher: SceneCatcher?
    /// Under which name its results are kept, where it is not the first reading of the migrations.
    var readingName = ""
    var onEvent: @Sendable (VerifyEvent) -> Void

    package init(
        engine: any Engine, generator: (any RowGenerator)? = nil,
        comparingWith other: (any Engine)? = nil,
        onEvent: @escaping @Sendable (VerifyEvent) -> Void = { _ in }
    ) {
        self.engine = engine
        self.other = other
        self.generator = generator
        self.onEvent = onEvent
    }

    /// - Throws: ``RequestError`` when no report can be made, CancellationError when the task is cancelled.
    public func run(_ request: VerifyRequest) async throws -> Report {
        let snapshots: [Snapshot]
        do {
            snapshots = try self.snapshots(request)
        } catch let error where request.snapshots.isEmpty && !FolderListing.exists(request.snapshotsFolder) {
            guard usesProbes(request, []) else { throw try await missingSnapshots(request, error) }
            snapshots = []
        }
        return try await verify(snapshots, as: request).report
    }

    /// Returns the error for a project without snapshots; whatever is wrong with its migrations comes first.
    /// - Throws: ``RequestError``.
    private func missingSnapshots(_ request: VerifyRequest, _ error: any Error) async throws -> any Error {
        if let command = request.command, let error = error as? RequestError {
            return missingSnapshots(command, error)
        }
        let loaded = try await load(request, [], TimeBudget(request.timeout), nil)
        let set = loaded.set
        guard loaded.overdue == nil, let error = error as? RequestError else { return error }
        let read =
            "\(counted(set.migrations.count, "migration")) in '\(request.migrationsFolder)' "
            + "\(set.migrations.count == 1 ? "was" : "were") read as \(set.format.name)'s"
        return RequestError(
            error.reason,
            "\(error.description), so there is no snapshot to replay (\(read)). Copy a database that a released version "
                + "left there into that folder, or name one: drydock verify app.sqlite. 'drydock lint' needs none"
        )
    }

    /// Verifies migrations that were already read.
    package func run(_ request: VerifyRequest, _ set: MigrationSet) async throws -> Report {
        try await verify(snapshots(request), as: request, set).report
    }

    /// Verifies the given snapshots, and returns the result of each replay.
    package func verify(
        _ snapshots: [Snapshot], as request: VerifyRequest, _ set: MigrationSet? = nil
    ) async throws -> (report: Report, results: [ReplayResult]) {
        let log = FaultLog()
        var (report, results) = try await Overlay.$faultLog.withValue(log) {
            try await verifyReadings(snapshots, request, set)
        }
        // A lack of space is not the migration's fault.
        if request.isRehearsal, case .spillFailed? = log.first, let fault = log.first {
            throw RequestError(
                .diskFull, "nothing was written to the database, and no report can be made. \(fault)")
        }
        if let fault = log.first, let finding = Self.unexplained(fault, in: report) {
            report.findings.append(finding)
        }
        return (report, results)
    }

    /// Returns the finding for a failure of an overlay that no finding names. SQLite may have tried again, or continued
    /// without the data.
    private static func unexplained(_ fault: OverlayError, in report: Report) -> Finding? {
        if report.findings.contains(where: { $0.advice == WriteObstacle.help(fault) }) { return nil }
        let hasErrors = report.findings.contains { $0.severity == .error }
        switch fault {
        case .writtenTooMuch where hasErrors: return Finding(.migrationFailed, .note, "\(fault)")
        case .spillFailed: break
        default: if hasErrors { return nil }
        }
        return Finding(.snapshotUnreadable, "the outcome cannot be trusted: \(fault)")
    }

    /// Verifies migrations that are read in one way.
    /// - Parameter given: The migrations as they were read; nil where that is left.
    func verifySnapshots(
        _ snapshots: [Snapshot], _ request: VerifyRequest, _ known: MigrationSet?, _ given: Loaded? = nil
    ) async throws -> (Report, [ReplayResult]) {
        let start = ContinuousClock.now
        let budget = TimeBudget(request.timeout)
        let shared = share == nil ? nil : try await prepared(request, snapshots)
        let loaded =
            if let given { given } else { try await loaded(request, snapshots, budget, known, shared) }
        let set = loaded.set
        var report = Report(.verify(VerifySummary()))
        report.isStrict = request.isStrict
        report.migrationFormat = set.format.name
        report.readings = loaded.readings?.summaries ?? []
        report.findings = request.findings + set.findings + nothingToVerify(set, snapshots, request)
        noteMissingProbes(request, snapshots, &report)
        let locked = try locked(request, set, shared)
        report.notChecked += locked.notChecked
        var results: [ReplayResult] = []
        if let obstacle = loaded.obstacle {
            report.findings.append(obstacle)
        } else if let overdue = loaded.overdue {
            report.findings += snapshots.map { overdue.finding($0) }
            if usesProbes(request, snapshots) { report.findings += overdueProbe("probe", overdue).findings }
        } else if !set.migrations.isEmpty, !snapshots.isEmpty || usesProbes(request, snapshots) {
            let (context, fresh) = try await ready(request, loaded, locked.check, budget, shared, &report)
            let deadline = budget.snapshotDeadlines()
            results = try await replay(snapshots, context, fresh, request, deadline)
            if usesProbes(request, snapshots) {
                results += Self.without(
                    results, from: try await replayProbes(context, fresh, request, deadline()))
            }
            if shared == nil { await context.connections?.close() }
            assemble(results, context, fresh, isPart: request.isPart, into: &report)
        }
        report.add(locked: locked.findings)
        if let command = loaded.command, let breach = command.fence.breach(command.format.command) {
            report.findings.append(breach)
        }
        report.seconds = (ContinuousClock.now - start).inSeconds
        return (report, results)
    }

    // MARK: - The request

    package func nothingToVerify(_ set: MigrationSet, _ snapshots: [Snapshot], _ request: VerifyRequest)
        -> [Finding]
    {
        var findings: [Finding] = []
        if set.migrations.isEmpty {
            findings.append(
                Finding(
                    .nothingVerified, "there is no migration in \(request.migrationsFolder)",
                    help:
                        "A migration is a file NAME.sql, such as v1_create_accounts.sql, or what another tool has. "
                        + "--migrations names another folder.",
                    place: .init(file: request.migrationsFolder)))
        }
        guard !usesProbes(request, snapshots), !request.isPart else { return findings }
        var folders = request.listed == nil ? request.snapshots.filter(SnapshotFolder.isEmpty) : []
        if snapshots.isEmpty, folders.isEmpty { folders = [request.snapshotsFolder] }
        findings += folders.map { folder in
            Finding(
                .nothingVerified, "there is no snapshot in \(folder)",
                help:
                    "A snapshot is a database as a released version left it. Copy one there; --snapshots names "
                    + "another folder.", place: .init(file: folder))
        }
        return findings
    }

    package func makeContext(
        _ request: VerifyRequest, _ set: MigrationSet, _ lock: LockCheck?
    ) async throws -> ReplayContext {
        var targetCount = set.migrations.count
        if let upTo = request.upTo { targetCount = try set.requiredIndex(of: upTo, in: set.folder) + 1 }
        if let wanted = catcher?.target.migration { _ = try set.requiredIndex(of: wanted, in: set.folder) }
        var set = set
        try set.declare(request.declarations)
        let declarations = Dictionary(
            set.migrations.map { ($0.identifier, $0.declarations) }, uniquingKeysWith: { first, _ in first })
        var context = ReplayContext(
            engine: engine, other: other, set: set, targetCount: targetCount, declarations: declarations,
            functions: request.functions, collations: request.collations,
            checksRollback: request.checksRollback,
            baselines: try await baselines(request, set, lock), memory: memory, lock: lock,
            isFullCheck: request.isFullCheck,
            crashLimits: CrashLimits(request),
            libraries: try await LibrarySurvey(program: request.libraryProgram).builds(
                request.sqliteLibraries),
            libraryProgram: request.libraryProgram,
            isRehearsal: request.isRehearsal, wantsHistory: request.wantsHistory,
            timeLimit: request.timeout ?? .zero)
        context.catcher = catcher
        context.chronicle = Chronicle(set.migrations)
        context.connections = ConnectionPool(
            engine: engine, settings: context.settings(Watchdog(deadline: nil)), limit: 64, isFork: true)
        return context
    }

    private func baselines(
        _ request: VerifyRequest, _ set: MigrationSet, _ lock: LockCheck?
    ) async throws -> BaselineStore? {
        guard request.cacheFolder != nil || lock != nil else { return nil }
        let key = try await BaselineKey(
            engine, set, functions: request.functions, collations: request.collations)
        return BaselineStore(folder: request.cacheFolder, key: key)
    }

    // MARK: - Replays

    /// Replays as many snapshots at once as there are jobs; results are in the order of the snapshots.
    private func replay(
        _ snapshots: [Snapshot], _ context: ReplayContext, _ fresh: FreshInstall, _ request: VerifyRequest,
        _ deadline: @escaping @Sendable () -> ContinuousClock.Instant?
    ) async throws -> [ReplayResult] {
        let names = SnapshotNames(snapshots.map(\.path))
        onEvent(.began(snapshots: snapshots.map(\.path)))
        memory?.keep(only: snapshots.map(\.path))
        return try await concurrentMap(snapshots, jobs: request.jobs) {
            onEvent(.replayed($0.summary, $0.findings))
        } _: { snapshot in
            var result = try await kept(snapshot, request) {
                try await replay(snapshot, context, fresh, deadline())
            }
            result.summary.name = names.name(of: snapshot.path)
            return result
        }
    }

    private func replay(
        _ snapshot: Snapshot, _ context: ReplayContext, _ fresh: FreshInstall,
        _ deadline: ContinuousClock.Instant?
    ) async throws -> ReplayResult {
        var left = ReplayResult(summary: ReplaySummary(snapshot: snapshot.path))
        left.isCutShort = true
        if let overdue = fresh.overdue {
            left.findings = [overdue.finding(snapshot)]
            return left
        }
        let watchdog = Watchdog(deadline: deadline)
        let place = ReplayPlace()
        let noting: @Sendable (VerifyEvent) -> Void = { [onEvent] event in
            if case .step(_, let migration, _, _) = event { place.set(migration) }
            onEvent(event)
        }
        let result = try await BoundedWait(watchdog: watchdog).result {
            var replay = SnapshotReplay(
                context: context, snapshot: snapshot, fresh: fresh, watchdog: watchdog, later: later,
                onEvent: noting)
            try await replay.run()
            return replay.result
        }
        if let result { return result }
        let overdue = Overdue(
            limit: context.timeLimit, migration: place.migration, place: watchdog.statements.place)
        left.findings = [overdue.finding(snapshot)]
        return left
    }

    // MARK: - The report

    func assemble(
        _ results: [ReplayResult], _ context: ReplayContext, _ fresh: FreshInstall, isPart: Bool,
        into report: inout Report
    ) {
        report.body = .verify(
            VerifySummary(
                replays: results.map(\.summary),
                history: context.wantsHistory
                    ? SchemaHistoryReader.history(of: fresh, context, results) : nil))
        let tried = results.reduce(into: Set<String>()) { $0.formUnion($1.triedMigrations) }
        var reader = SchemaReader()
        for (index, migration) in context.targets.enumerated() where tried.contains(migration.identifier) {
            let schema = fresh.catalogs[index].map { reader.schema(of: $0) }
            let weight = PragmaSeverity(
                migration: migration, before: schema, found: results.flatMap(\.findings))
            report.findings += StaticChecks.findings(for: migration, of: context.set.format, before: schema)
                .map(weight.weighed)
        }
        report.findings += CodeMigrationCheck(context: context, results: results).findings()
        report.findings += Self.unique(results.flatMap(\.migrationFindings))
        // A single database uses only some of the declarations, and none once it is at the newest version.
        if !context.isRehearsal, !isPart { report.findings += Self.unusedDeclarations(results, context) }
        let filled = context.command?.format.history?.filledTables ?? []
        report.findings += results.flatMap(\.findings).filter {
            $0.rule != .rowsAdded || !filled.contains($0.table ?? "")
        }
        if let failure = fresh.failure, fresh.catalogs[context.targetCount] == nil {
            failure.add(to: &report, results)
        }
        leaveOutIgnored(context, tried, isPart: isPart, &report)
        report.notChecked += results.flatMap(\.notChecked)
        if !context.isRehearsal, !isPart, results.allSatisfy(\.isUpToDate) {
            report.findings.append(nothingPending(results))
        }
        let applied = results.reduce(into: Set<String>()) { $0.formUnion($1.applied) }
        for index in report.findings.indices {
            let isReleased = report.findings[index].migration.map(applied.contains) ?? false
            // What a command runs has no comment that is read.
            if isReleased || context.command != nil {
                report.findings[index].declareInConfiguration(isReleased: isReleased)
            }
        }
    }

    /// Removes the findings that `ignore` names; an `ignore` without such a finding is unused.
    private func leaveOutIgnored(
        _ context: ReplayContext, _ tried: Set<String>, isPart: Bool, _ report: inout Report
    ) {
        let migrations = Dictionary(
            context.targets.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        var used: Set<Declaration> = []
        report.findings.removeAll { finding in
            guard let declaration = finding.migration.flatMap({ migrations[$0] })?.ignore(of: finding) else {
                return false
            }
            used.insert(declaration)
            return true
        }
        for migration in context.targets where tried.contains(migration.identifier) && !isPart {
            for declaration in migration.declarations where !used.contains(declaration) {
                // Lint reports its own rules.
                guard case .ignores(let rule, _) = declaration.kind, !Rule.ofLint.contains(rule) else {
                    continue
                }
                report.findings.append(
                    Finding(
                        .unusedDeclaration, .warning, "nothing here breaks \(rule.rawValue)",
                        help: "Remove '\(declaration.text)'.", migration: migration.identifier,
                        place: declaration.place))
            }
        }
    }
}
