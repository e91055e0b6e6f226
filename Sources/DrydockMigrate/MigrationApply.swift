import DatabaseEngine
import DrydockFindings
import DrydockMaintenance
import DrydockMigrations
import DrydockReplay
import DrydockVerify
import OverlayVFS

/// Rehearses on a copy of a live database, and installs the result in the database.
struct MigrationApply: Sendable {
    let engine: any Engine
    let verifier: Verifier
    let copier: LiveCopier
    let request: MigrateRequest
    let verify: VerifyRequest
    let pending: [Migration]
    let stop: StopFlag
    let note: @Sendable (MigrateEvent) -> Void

    // MARK: - Rehearsing

    /// Runs the migrations on a copy, and writes nothing permanent.
    func rehearsed() async throws -> Report {
        let place = try BackupPlace(request)
        let rehearsal = try await rehearse { try await copier.copy(into: place.folder) }
        var (report, summary) = try self.summary(rehearsal, rehearsals: 1)
        let isShared = isOpenElsewhere
        summary.locksReaders = !isShared
        if summary.outcome != .upToDate {
            summary.lockSeconds = try needs.lockSeconds(rehearsal, isShared: isShared)
            summary.needs =
                try needs.rehearsing(rehearsal) + needs.installing(rehearsal, isShared: isShared)
        }
        if let fault = HardLinks.fault(of: request.path) {
            summary.notes.append("it would not be applied: \(fault)")
        }
        report.body = .migrate(summary)
        return report
    }

    private func rehearse(_ copy: () async throws -> TemporaryCopy) async throws -> Rehearsal {
        note(.copying)
        let start = ContinuousClock.now
        let copy = try await copy()
        let seconds = (ContinuousClock.now - start).inSeconds
        try Task.checkCancellation()
        var rehearsal = try await Rehearsal.run(copy, of: request.path, verifier, verify)
        rehearsal.copySeconds = seconds
        return rehearsal
    }

    private func summary(
        _ rehearsal: Rehearsal, rehearsals: Int
    ) throws -> (report: Report, summary: MigrateSummary) {
        var summary = MigrateSummary(database: request.path, outcome: .rehearsed)
        summary.pending = pending.map(\.identifier)
        summary.bytesBefore = rehearsal.base?.byteCount ?? 0
        summary.bytesAfter = rehearsal.end?.byteCount ?? summary.bytesBefore
        summary.rehearsals = rehearsals
        var report = rehearsal.report
        summary.replays = report.replays
        if rehearsal.isUpToDate {
            (summary.outcome, summary.pending) = (.upToDate, [])
            summary.notes.append("another program has migrated it in the meantime")
        } else if !report.hasPassed {
            summary.outcome = .refused
        } else if var obstacle = try rehearsal.obstacle(pending) {
            summary.outcome = .refused
            obstacle.snapshot = request.path
            report.findings.append(obstacle)
        }
        return (report, summary)
    }

    /// Whether others have the log open; valid only while this process has no connection to the database.
    private var isOpenElsewhere: Bool {
        let state = LiveState(request.path)
        return state.isLogged && state.isOpenElsewhere
    }

    private var needs: MigrationNeeds { MigrationNeeds(request: request) }

    // MARK: - Applying

    /// The last rehearsal of an attempt, and what is to be said of it.
    private struct Attempt {
        var rehearsal: Rehearsal
        var report: Report
        var summary: MigrateSummary

        var isReady: Bool { summary.outcome == .rehearsed }

        var finished: Report {
            var report = report
            report.body = .migrate(summary)
            return report
        }
    }

    private func attempt(_ rehearsal: Rehearsal, _ rehearsals: Int) throws -> Attempt {
        let (report, summary) = try summary(rehearsal, rehearsals: rehearsals)
        return Attempt(rehearsal: rehearsal, report: report, summary: summary)
    }

    func run() async throws -> Report {
        let place = try BackupPlace(request)
        var rehearsals = 0
        for _ in 0..<LockWaits.rehearsals {
            let stamps = FileStamps(request.path)
            let first = try await rehearse { try await copier.copy(into: place.folder) }
            var attempt = try attempt(first, rehearsals + 1)
            let isWritten = FileStamps(request.path) != stamps
            let isLogged = LiveState(request.path).isLogged
            if isWritten, !isLogged { try await lookAgain(place, &attempt) }
            guard attempt.isReady, let base = attempt.rehearsal.base else { return attempt.finished }
            try Task.checkCancellation()
            if DiskSpace.isChecked {
                try needs.check(needs.installing(attempt.rehearsal, isShared: isOpenElsewhere))
            }
            let held = try await openDatabase(isShared: isWritten && isLogged)
            let catchUp = CatchUp(held, from: base)
            var start: ContinuousClock.Instant?
            let outcome: Result<Installed, any Error>
            do {
                if held.isAlone { start = .now } else { try await approach(catchUp, place, &attempt) }
                if attempt.isReady {
                    try await catchUp.lock()
                    start = start ?? .now
                    let later = try await catchUp.advance()
                    await catchUp.end()
                    if let later { try await rehearse(later, &attempt) }
                }
                outcome = .success(try await install(&attempt, place, held))
            } catch {
                outcome = .failure(error)
            }
            await catchUp.end()
            let faults = await held.release()
            rehearsals = attempt.summary.rehearsals
            let installed = try unwrapped(outcome, attempt.summary, faults)
            guard installed != .not else { continue }
            attempt.summary.locksReaders = held.isAlone
            attempt.summary.lockSeconds = start.map { (ContinuousClock.now - $0).inSeconds }
            attempt.summary.notes += faults.map(\.description)
            return attempt.finished
        }
        throw RequestError(
            .databaseBusy,
            "other programs commit to \(request.path) whenever it is not locked, so it was not migrated; it has only "
                + "what they wrote")
    }

    /// Rehearses on what others commit while they can still write, until that takes so little time that what they commit
    /// meanwhile can be rehearsed while they wait.
    private func approach(_ catchUp: CatchUp, _ place: BackupPlace, _ attempt: inout Attempt) async throws {
        var last = Duration.seconds(3600)
        while let later = try await catchUp.advance() {
            let start = ContinuousClock.now
            try await rehearse(later, &attempt)
            guard attempt.isReady else { return }
            try place.update(&attempt.rehearsal)
            let seconds = ContinuousClock.now - start
            guard seconds > LockWaits.shortRehearsal, seconds < last * 0.7 else { return }
            last = seconds
        }
    }

    /// Rehearses on what others committed with a rollback journal, so that little is left to do under the lock.
    private func lookAgain(_ place: BackupPlace, _ attempt: inout Attempt) async throws {
        guard attempt.isReady, let base = attempt.rehearsal.base,
            let later = try await copier.look({ try base.updated(to: $0.image) })
        else { return }
        try await rehearse(later, &attempt)
        if attempt.isReady { try place.update(&attempt.rehearsal) }
    }

    /// Repeats the rehearsal on a later state, which is over the same file as the one before.
    private func rehearse(_ later: Image, _ attempt: inout Attempt) async throws {
        let earlier = attempt.rehearsal
        // The earlier rehearsal's temporary pages still exist.
        if DiskSpace.isChecked { try needs.check(needs.spilled(earlier)) }
        var verifier = verifier
        verifier.later = LaterState(later, since: earlier.baseline)
        var rehearsal = try await Rehearsal.run(earlier.copy, of: request.path, verifier, verify)
        (rehearsal.copySeconds, rehearsal.isLater) = (earlier.copySeconds, true)
        rehearsal.written = earlier.written
        attempt = try self.attempt(rehearsal, attempt.summary.rehearsals + 1)
    }

    private func openDatabase(isShared: Bool) async throws -> HeldDatabase {
        do {
            return try await HeldDatabase.open(
                engine: engine, path: request.path, timeout: request.busyTimeout, stop: stop,
                isShared: isShared)
        } catch let error as EngineError {
            try Task.checkCancellation()
            throw describe(error, addition(nil, []))
        }
    }

    private enum Installed { case whole, not, refused }

    /// Replaces the database's pages with those of the rehearsal.
    private func install(
        _ attempt: inout Attempt, _ place: BackupPlace, _ held: HeldDatabase
    ) async throws -> Installed {
        let rehearsal = attempt.rehearsal
        guard attempt.isReady, let end = rehearsal.end, let base = rehearsal.base else { return .refused }
        attempt.summary.needs = try needs.installing(rehearsal, isShared: !held.isAlone)
        if DiskSpace.isChecked { try needs.check(attempt.summary.needs) }
        attempt.summary.needs += needs.spilled(rehearsal)
        try Task.checkCancellation()
        // From here on nothing of a stranger runs, and no limit on it may cut what is written short.
        note(.installing(done: 0, total: 0))
        if !request.isOneOfMany { MemoryBounds.apply(nil) }
        attempt.summary.backup = try place.keep(&attempt.rehearsal)
        let (note, stop) = (note, stop)
        let installation = try await held.install(end, over: base) { done, total in
            note(.installing(done: done, total: total))
            return !stop.value
        }
        switch installation {
        case .overtaken:
            // The backup is of a database that another program has written since.
            if let backup = attempt.summary.backup { TemporaryCopy.delete(backup) }
            attempt.summary.backup = nil
            return .not
        case .installed(let isDurable, let error):
            attempt.summary.outcome = .applied
            if !isDurable {
                attempt.summary.notes.append(
                    "it may not survive a power loss: the folder could not be synced")
            }
            if let error { attempt.summary.notes.append("an error followed the commit: \(error)") }
            await readAgain(end, &attempt.summary, held)
            return .whole
        }
    }

    private func readAgain(_ end: Image, _ summary: inout MigrateSummary, _ held: HeldDatabase) async {
        do {
            switch try await held.isInstalled(end) {
            case true?: break
            case false?: summary.outcome = .damaged
            case nil:
                summary.notes.append("other programs have committed since, so the result was not read again")
            }
        } catch {
            summary.notes.append("the result could not be read again: \(error)")
        }
    }

    // MARK: - What went wrong

    private func unwrapped(
        _ outcome: Result<Installed, any Error>, _ summary: MigrateSummary,
        _ faults: [HeldDatabase.ReleaseFault]
    ) throws -> Installed {
        let addition = addition(summary.backup, faults)
        do {
            return try outcome.get()
        } catch let error as EngineError {
            if error.isInterrupt, let backup = summary.backup {
                // It was stopped before anything was written, or everything was rolled back.
                TemporaryCopy.delete(backup)
                try Task.checkCancellation()
            }
            if summary.backup == nil { try Task.checkCancellation() }
            throw describe(error, addition)
        } catch let error as OverlayError {
            throw RequestError(
                .databaseUnreadable,
                "\(request.path) cannot be read: \(error); it is unchanged" + addition)
        } catch let error as RequestError {
            throw RequestError(error.reason, error.description + addition)
        } catch is CancellationError {
            if let backup = summary.backup { TemporaryCopy.delete(backup) }
            throw CancellationError()
        }
    }

    /// Returns what follows "the database is unchanged" in a message.
    private func addition(_ backup: String?, _ faults: [HeldDatabase.ReleaseFault]) -> String {
        let faults = faults.filter { if case .logIsRead = $0 { false } else { true } }
        return (backup.map { ", and so does its backup, \($0)" } ?? "")
            + faults.map { "; \($0)" }.joined()
    }

    private func describe(_ error: EngineError, _ addition: String) -> RequestError {
        let path = request.path
        let rest = "\(path) is unchanged" + addition
        // The files that SQLite makes beside the database fail with this code.
        if error.code == .inputOutput, (DiskSpace.free(in: needs.folder) ?? .max) < 1 << 17 {
            return RequestError(.diskFull, "the disk is full; \(rest)")
        }
        let fact =
            switch error.code {
            case .busy, .locked:
                "another program has \(path) locked (\(error.message)); wait longer for it with --busy-timeout, or stop it"
            case .full: "the disk is full: \(error.message)"
            case .readOnly: "\(path) cannot be written: \(error.message)"
            case .inputOutput where error.isFailedWrite:
                "\(path), or the journal or log beside it, cannot be written (\(error.message)): "
                    + EngineError.failedWriteAdvice
            default: "\(path) cannot be migrated: \(error.message)"
            }
        return RequestError(.init(error), "\(fact); \(rest)")
    }
}
