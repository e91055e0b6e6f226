import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import DrydockMigrations
import DrydockReplay
import DrydockVerify
import Foundation
import OverlayVFS

/// Migrates a live database: rehearses on a copy, and installs what was rehearsed.
///
///     var request = MigrateRequest(path: "app.sqlite")
///     request.verify.migrations.folder = "Migrations"
///     request.mode = .apply
///     let report = try await Migrator(engine: GRDBDriver()).run(request)
///
/// The pending migrations run, through the engine, on an overlay over a copy that was read back from the disk. If every
/// rule is satisfied, the database is locked and compared with that copy, byte by byte: if another program has committed
/// since, the rehearsal is repeated on what differs, and before the lock where others can go on meanwhile. Then the
/// rehearsal's pages replace the database's in one transaction. So what was verified is what is installed, random values
/// and times included. It happens completely or not at all, even if the tool uses several transactions or none. Other
/// programs wait only for what they committed last to be rehearsed on and for the changed pages to be written.
public struct Migrator: Sendable {
    let engine: any Engine
    private let note: @Sendable (MigrateEvent) -> Void
    /// What the runs for other databases have made.
    private let shares: ReplayShares?

    public init(engine: any Engine, onEvent note: @escaping @Sendable (MigrateEvent) -> Void = { _ in }) {
        self.init(engine: engine, shares: nil, onEvent: note)
    }

    /// - Parameter shares: What runs share whose requests differ in nothing but the database.
    package init(
        engine: any Engine, shares: ReplayShares?,
        onEvent note: @escaping @Sendable (MigrateEvent) -> Void = { _ in }
    ) {
        (self.engine, self.shares, self.note) = (engine, shares, note)
    }

    private func verifier(_ share: ReplayShare?) -> Verifier {
        var verifier = Verifier(engine: engine, onEvent: forward)
        verifier.share = share
        return verifier
    }

    /// Reads a live database after something was prepared for it, with a verifier that shares what databases with such
    /// a history share.
    func look<Result: Sendable>(
        _ copier: LiveCopier,
        _ prepare: (Verifier) async throws -> @Sendable (LiveOverlay.Slice) throws -> Result
    ) async throws -> Result {
        guard let shares, shares.ofAll == nil else {
            return try await copier.look(prepare(verifier(shares?.ofAll)))
        }
        return try await copier.look(for: { shares.share(try HistoryFacts($0)) }) {
            try await prepare(verifier($0))
        }
    }

    /// Runs a migration request. Stops soon after the task is cancelled.
    /// - Throws: ``RequestError``, `CancellationError`; the database is then unchanged.
    public func run(_ request: MigrateRequest) async throws -> Report {
        let start = ContinuousClock.now
        let stop = StopFlag()
        var report = try await withTaskCancellationHandler {
            try await run(request, stop)
        } onCancel: {
            stop.set()
        }
        report.seconds = (ContinuousClock.now - start).inSeconds
        return report
    }

    private func run(_ request: MigrateRequest, _ stop: StopFlag) async throws -> Report {
        try checkFile(request)
        var copier = LiveCopier(engine: engine, path: request.path, stop: stop)
        copier.checksDisk = DiskSpace.isChecked
        let verify = self.verify(request)
        let (check, verifier) = try await pendingCheck(copier, verify)
        var report = check.report
        var summary = MigrateSummary(database: request.path, outcome: .upToDate)
        summary.pending = check.pending.map(\.identifier)
        if request.mode == .check || check.pending.isEmpty {
            if !check.pending.isEmpty {
                summary.outcome = .pending
            } else if !report.hasPassed {
                summary.outcome = .refused
            }
            report.body = .migrate(summary)
            return report
        }
        var repeated = verifier
        // A rehearsal that is repeated does not read the migrations again.
        if request.mode == .apply, verify.command == nil { repeated.share = repeated.share ?? ReplayShare() }
        let apply = MigrationApply(
            engine: engine, verifier: repeated, copier: copier, request: request, verify: verify,
            pending: check.pending, stop: stop, note: note)
        return try await request.mode == .apply ? apply.run() : apply.rehearsed()
    }

    /// Reads what a live database has applied, and runs nothing.
    private func pendingCheck(
        _ copier: LiveCopier, _ verify: VerifyRequest
    ) async throws -> (PendingCheck.Outcome, Verifier) {
        // What the history looks like is a stranger's affair, too: it may be a view that never ends.
        var copier = copier
        copier.deadline = TimeBudget(verify.timeout).firstDeadline
        let bounded = copier
        return try await look(bounded) { verifier in
            let read = try await PendingCheck(verifier: verifier, copier: bounded, request: verify).reader()
            return { (try read($0), verifier) }
        }
    }

    /// Returns the request for a replay of one database, which keeps its end state.
    func verify(_ request: MigrateRequest) -> VerifyRequest {
        var verify = request.verify
        (verify.snapshots.paths, verify.jobs, verify.cacheFolder) = ([request.path], 1, nil)
        (verify.rehearsal, verify.checks.rollback) = (.isShown, false)
        if request.mode == .apply {
            // The results of a stand-in must not get into a real database.
            (verify.migrations.functions, verify.migrations.collations) = ([], [])
            verify.rehearsal = .isApplied
        }
        return verify
    }

    func checkFile(_ request: MigrateRequest) throws {
        let path = request.path
        guard FolderListing.exists(path) else {
            throw RequestError(.notFound, FolderListing.missing("database", path))
        }
        if let fault = FolderListing.nameFault(path) { throw RequestError(.unreadable, fault) }
        if FolderListing.isFolder(path) {
            throw RequestError(.unreadable, "'\(path)' is a folder, not a database")
        }
        if FolderListing.isSpecial(path) {
            throw RequestError(.unreadable, "'\(path)' is not a regular file, so it is not a database")
        }
        if let fault = SnapshotFile.fault(of: path) {
            throw RequestError(.databaseUnreadable, "\(fault.message)")
        }
        BackupPlace.removeLeftOvers(request)
        guard request.mode == .apply else { return }
        if let fault = HardLinks.fault(of: path) { throw RequestError(.refused, fault) }
        let folder = PathParts.folder(of: realPath(of: path))
        for place in [path, folder] {
            guard let obstacle = DiskSpace.writeObstacle(place) else { continue }
            throw RequestError(
                .notWritable,
                "\(place) \(obstacle)"
                    + (place == folder ? ", and SQLite needs a journal beside the database" : ""))
        }
    }

    @Sendable private func forward(_ event: VerifyEvent) {
        guard case .step(_, let migration, let number, let count) = event else { return }
        note(.step(migration: migration, number: number, of: count))
    }
}
