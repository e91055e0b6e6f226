import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS
import SQLiteSchema

/// Writes a project's lock, or checks it.
public struct Locker: Sendable {
    package let engine: any Engine

    public init(engine: any Engine) { self.engine = engine }

    /// Locks a project, or checks its lock.
    /// - Throws: ``RequestError`` if no report can be made.
    public func run(_ request: LockRequest) async throws -> Report {
        let start = ContinuousClock.now
        let old = try Lock.load(request.path)
        let snapshots = try request.snapshotsFolder.map { try SnapshotFolder.snapshots(in: $0) } ?? []
        if request.isCheck, old?.isOfClosuresAlone ?? true {
            throw Lock.missing(request.path)
        }
        let (check, set) = try await project(old, request, snapshots, isLocked: true)
        var run = LockRun(request: request, check: check, set: set)
        try run.resolve(snapshots)
        run.checkMigrations()
        try run.checkSnapshots(snapshots)
        if !request.isCheck {
            run.lockMigrations()
            try await lockSnapshots(snapshots, &run)
            if !run.lock.migrations.isEmpty { try write(run.lock, to: request.path, over: old) }
        }
        var report = run.report
        report.seconds = (ContinuousClock.now - start).inSeconds
        return report
    }

    /// Returns the migrations, with the lock that is there or an empty one.
    /// - Parameter isLocked: whether they are to be locked: a lock is relied on, and so not made of one reading of several.
    package func project(
        _ old: Lock?, _ request: LockRequest, _ snapshots: [Snapshot], isLocked: Bool = false
    ) async throws -> (LockCheck, MigrationSet) {
        guard let old, !old.isOfClosuresAlone else {
            return try await begin(request, snapshots, old, isLocked: isLocked)
        }
        let check = LockCheck(old, path: request.path)
        try refuseOtherMigrations(check, request)
        return (
            check, try check.migrations(in: request.migrations.folder, options: request.migrations.options)
        )
    }

    /// Returns an empty lock for a project that has none.
    private func begin(
        _ request: LockRequest, _ snapshots: [Snapshot], _ old: Lock?, isLocked: Bool
    ) async throws -> (LockCheck, MigrationSet) {
        var settings = ConnectionSettings()
        settings.functions = request.migrations.functions
        settings.collations = request.migrations.collations
        let opener = SnapshotOpener(engine: engine, settings: settings)
        let choice = try FormatChoice(request.migrations)
        let histories = try await choice.histories(of: snapshots, opener)
        let set = try isLocked ? choice.readings(histories).single() : choice.load(histories)
        let folder = LockPlace(request.path).name(of: request.migrations.folder)
        var lock = Lock(migrationsFolder: folder, format: set.format.name)
        (lock.closures, lock.origins) = (old?.closures ?? [], old?.origins ?? [])
        let check = LockCheck(lock, path: request.path)
        return (
            check,
            try check.migrations(
                in: request.migrations.folder, options: request.migrations.options, known: set)
        )
    }

    private func refuseOtherMigrations(_ check: LockCheck, _ request: LockRequest) throws {
        guard check.isOf(request.migrations.folder) else {
            throw RequestError(
                .lockInvalid,
                "\(try check.mismatch(request.migrations.folder)). --lock names another lock, --migrations another "
                    + "folder")
        }
        try check.refuse(named: request.migrations.format)
    }

    private func lockSnapshots(_ snapshots: [Snapshot], _ run: inout LockRun) async throws {
        let wanted = snapshots.filter { run.isWanted($0) }
        guard !wanted.isEmpty || run.request.addsBaselines else { return run.dropSnapshots() }
        let request = run.request
        let key = try await BaselineKey(
            engine, run.set, functions: request.migrations.functions,
            collations: request.migrations.collations)
        let context = ReplayContext(
            engine: engine, set: run.set, targetCount: run.set.migrations.count, declarations: [:],
            functions: request.migrations.functions, collations: request.migrations.collations)
        let survey = SnapshotSurvey(
            context: context, store: BaselineStore(folder: request.cacheFolder, key: key), date: request.date)
        run.dropSnapshots()
        for snapshot in snapshots {
            try Task.checkCancellation()
            let name = run.check.place.name(of: snapshot.path)
            let isWanted = run.isWanted(snapshot)
            guard isWanted || run.lacksBaseline(name, key) else { continue }
            do {
                let entry = try await survey.entry(snapshot, named: name)
                if isWanted { run.add(entry) } else { run.add(baselinesOf: entry) }
            } catch let fault as SnapshotFault {
                run.note(
                    Finding(.snapshotUnreadable, fault.sentence, help: fault.help, place: fault.place),
                    of: snapshot)
            } catch let error as OverlayError {
                run.note(Finding(.snapshotUnreadable, error.description), of: snapshot)
            } catch let error as EngineError {
                run.note(
                    Finding(.snapshotUnreadable, of: snapshot.path, "cannot be locked: \(error.message)"),
                    of: snapshot)
            }
        }
    }

    /// Replaces the file atomically, unless its content is unchanged.
    private func write(_ lock: Lock, to path: String, over old: Lock?) throws {
        guard lock != old else { return }
        do {
            try AtomicFile.write(Array(lock.text.utf8), to: path)
        } catch {
            throw RequestError(
                .notWritable,
                "the lock '\(path)' cannot be written: \(error); --lock names another place")
        }
    }
}
