import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockProbes
import DrydockReplay
import OverlayVFS

/// Replays every snapshot to the newest version and proves that nothing was lost.
public struct Verifier: Sendable {
    package let engine: any Engine
    package let other: (any Engine)?
    private let rows = RowMaker()
    /// What is kept for the next run of the same request; nil where there will be none.
    package var cache: ReplayCache?
    /// What the runs for other databases have made; nil where there is only this one.
    package var share: ReplayShare?
    /// The state that is replayed in place of the snapshot's file; nil where there is none.
    package var later: LaterState?
    /// See ``ReplayContext/listener``.
    package var listener: (any ReplayListener)?
    /// Under which name its results are kept, where it is not the first reading of the migrations.
    var readingName = ""
    package var onEvent: @Sendable (VerifyEvent) -> Void

    /// - Parameter other: another engine, which must have the same result for every step.
    public init(
        engine: any Engine, comparingWith other: (any Engine)? = nil,
        onEvent: @escaping @Sendable (VerifyEvent) -> Void = { _ in }
    ) {
        self.engine = engine
        self.other = other
        self.onEvent = onEvent
    }

    /// - Throws: ``RequestError`` when no report can be made, CancellationError when the task is cancelled.
    public func run(_ request: VerifyRequest) async throws -> Report {
        let snapshots: [Snapshot]
        do {
            snapshots = try request.snapshots.named()
        } catch let error
            where request.snapshots.paths.isEmpty && !FolderListing.exists(request.snapshots.folder)
        {
            guard probes(request, []).isUsed else { throw try await missingSnapshots(request, error) }
            snapshots = []
        }
        return try await verify(snapshots, as: request).report
    }

    /// Returns the error for a project without snapshots; whatever is wrong with its migrations comes first.
    /// - Throws: ``RequestError``.
    private func missingSnapshots(_ request: VerifyRequest, _ error: any Error) async throws -> any Error {
        if let command = request.command, let error = error as? RequestError {
            return Self.missingSnapshots(command, error)
        }
        let loaded = try await loader.load(request, [], TimeBudget(request.timeout))
        let set = loaded.set
        guard loaded.overdue == nil, let error = error as? RequestError else { return error }
        let read =
            "\(counted(set.migrations.count, "migration")) in '\(request.migrations.folder)' "
            + "\(set.migrations.count == 1 ? "was" : "were") read as \(set.format.name)'s"
        return RequestError(
            error.reason,
            "\(error.description), so there is no snapshot to replay (\(read)). Copy a database that a released version "
                + "left there into that folder, or name one: drydock verify app.sqlite. 'drydock lint' needs none"
        )
    }

    /// Returns the error where there is no snapshot.
    private static func missingSnapshots(_ command: ProjectCommand, _ error: RequestError) -> RequestError {
        RequestError(
            error.reason,
            "\(error.description), so there is no snapshot on which '\(command.command)' could be run. Copy a database "
                + "that a released version left there into that folder, or name one: drydock verify app.sqlite. "
                + "Rows cannot be generated: \(ProbeVerification.needsList(command))")
    }

    /// Returns the formats in which a request's migrations can be read, the one that is used first, with what their tools would
    /// do otherwise than others; that is empty where it does not matter.
    /// - Throws: ``RequestError`` exactly where ``run(_:)`` would for the migrations.
    package func formats(_ request: VerifyRequest) async throws -> [RequestError.Choice] {
        // A snapshot's history may decide; that there is none is for later.
        try await loader.formats(request, (try? request.snapshots.named()) ?? [])
    }

    /// Verifies migrations that were already read.
    package func run(_ request: VerifyRequest, _ set: MigrationSet) async throws -> Report {
        try await verify(request.snapshots.named(), as: request, set).report
    }

    /// Verifies the given snapshots, and returns the result of each replay.
    package func verify(
        _ snapshots: [Snapshot], as request: VerifyRequest, _ set: MigrationSet? = nil
    ) async throws -> (report: Report, results: [ReplayResult]) {
        let log = FaultLog()
        var (report, results) = try await Overlay.$faultLog.withValue(log) {
            try await verifyAll(snapshots, request, set)
        }
        // A lack of space is not the migration's fault.
        if request.rehearsal != nil, case .spillFailed? = log.first, let fault = log.first {
            throw RequestError(
                .diskFull, "nothing was written to the database, and no report can be written. \(fault)")
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

    /// Verifies the given snapshots in every reading of the migrations.
    private func verifyAll(
        _ snapshots: [Snapshot], _ request: VerifyRequest, _ known: MigrationSet?
    ) async throws -> (Report, [ReplayResult]) {
        guard share == nil else { return try await verifySnapshots(snapshots, request, nil) }
        if let known {
            return try await verifySnapshots(snapshots, request, LoadedMigrations(set: known))
        }
        guard request.command == nil else { return try await verifySnapshots(snapshots, request, nil) }
        let loaded = try await loader.load(request, snapshots, TimeBudget(request.timeout))
        guard let readings = loaded.readings, readings.all.count > 1, loaded.overdue == nil else {
            return try await verifySnapshots(snapshots, request, loaded)
        }
        return try await ReadingsVerification(
            verifier: self, readings: readings, snapshots: snapshots, request: request
        ).run()
    }

    /// Verifies migrations that are read in one way.
    /// - Parameter given: The migrations as they were read; nil where that is left.
    func verifySnapshots(
        _ snapshots: [Snapshot], _ request: VerifyRequest, _ given: LoadedMigrations?
    ) async throws -> (Report, [ReplayResult]) {
        let start = ContinuousClock.now
        let budget = TimeBudget(request.timeout)
        let shared = share == nil ? nil : try await preparation.prepared(request, snapshots)
        let loaded: LoadedMigrations
        if let known = given ?? shared?.loaded {
            loaded = known
        } else {
            loaded = try await loader.load(request, snapshots, budget)
        }
        let set = loaded.set
        let probes = probes(request, snapshots)
        var report = Report(.verify(VerifySummary()))
        report.isStrict = request.isStrict
        report.migrationFormat = set.format.name
        report.readings = loaded.readings?.summaries ?? []
        report.findings = request.findings + set.findings + nothingToVerify(set, snapshots, request)
        if let entry = probes.notChecked { report.notChecked.append(entry) }
        let locked = try shared?.locked ?? LockVerdict(request, set)
        report.notChecked += locked.notChecked
        var results: [ReplayResult] = []
        if let obstacle = loaded.obstacle {
            report.findings.append(obstacle)
        } else if let overdue = loaded.overdue {
            report.findings += snapshots.map { overdue.finding($0) }
            if probes.isUsed { report.findings += ProbeVerification.result(of: overdue).findings }
        } else if !set.migrations.isEmpty, !snapshots.isEmpty || probes.isUsed {
            let (context, fresh) = try await preparation.ready(
                request, loaded, locked.check, budget, shared, &report)
            let deadline = budget.snapshotDeadlines()
            results = try await SnapshotReplays(
                context: context, fresh: fresh, request: request, later: later, readingName: readingName,
                onEvent: onEvent
            ).run(snapshots, deadline)
            if probes.isUsed {
                results += ProbeVerification.without(
                    results, from: try await probes.run(context, fresh, until: deadline()))
            }
            if shared == nil { await context.connections?.close() }
            ReportAssembly(context: context, fresh: fresh, isPart: request.isPart)
                .add(results, to: &report)
        }
        report.add(locked: locked.findings)
        if let command = loaded.command, let breach = command.fence.breach(command.format.command) {
            report.findings.append(breach)
        }
        report.seconds = (ContinuousClock.now - start).inSeconds
        return (report, results)
    }

    // MARK: - Parts

    private var loader: MigrationLoader {
        MigrationLoader(
            engine: engine, files: cache?.files ?? FileCache(), histories: share?.histories)
    }

    package var preparation: ReplayPreparation {
        ReplayPreparation(loader: loader, other: other, cache: cache, share: share, listener: listener)
    }

    private func probes(_ request: VerifyRequest, _ snapshots: [Snapshot]) -> ProbeVerification {
        ProbeVerification(
            generator: rows, request: request, snapshots: snapshots, readingName: readingName,
            onEvent: onEvent)
    }

    /// Returns the findings that there is no migration, or no snapshot.
    package func nothingToVerify(
        _ set: MigrationSet, _ snapshots: [Snapshot], _ request: VerifyRequest
    ) -> [Finding] {
        var findings: [Finding] = []
        if set.migrations.isEmpty {
            findings.append(
                Finding(
                    .nothingVerified, "there is no migration in \(request.migrations.folder)",
                    help:
                        "A migration is a file NAME.sql, such as v1_create_accounts.sql, or what another tool has. "
                        + "--migrations names another folder.",
                    place: .init(file: request.migrations.folder)))
        }
        guard !probes(request, snapshots).isUsed, !request.isPart else { return findings }
        var folders =
            request.snapshots.listed == nil ? request.snapshots.paths.filter(SnapshotFolder.isEmpty) : []
        if snapshots.isEmpty, folders.isEmpty { folders = [request.snapshots.folder] }
        findings += folders.map { folder in
            Finding(
                .nothingVerified, "there is no snapshot in \(folder)",
                help:
                    "A snapshot is a database as a released version left it. Copy one there; --snapshots names "
                    + "another folder.", place: .init(file: folder))
        }
        return findings
    }
}
