import DatabaseEngine
import OverlayVFS

/// Rehearses on a copy of a live database, and makes the database what the rehearsal made of the copy.
struct MigrationApply: Sendable {
    let engine: any Engine
    let verifier: Verifier
    let copier: LiveCopier
    let request: MigrateRequest
    let verify: VerifyRequest
    let pending: [Migration]
    let stop: StopFlag
    let note: @Sendable (MigrateEvent) -> Void

    /// How often somebody may commit in the moment that is not locked.
    private static let attempts = 20

    // MARK: - Rehearsing

    /// Runs the migrations on a copy, and writes nothing that stays.
    func rehearsed() async throws -> VerifyReport {
        let place = try BackupPlace(request)
        let (rehearsal, seconds) = try await rehearse { try await copier.copy(into: place.folder) }
        var (report, summary) = try self.summary(rehearsal, rehearsals: 1)
        // It is read against its copy, read again by SQLite, written to the journal and written.
        let share = Double(max(1, summary.bytesAfter)) / Double(max(1, summary.bytesBefore))
        summary.lockSeconds = seconds * (1 + share)
        summary.needs = try needs(rehearsal, place, isApplied: false)
        report.migrate = summary
        return report
    }

    /// - Returns: also the seconds that the copy took.
    private func rehearse(
        _ copy: () async throws -> TemporaryCopy
    ) async throws -> (rehearsal: Rehearsal, copySeconds: Double) {
        note(.copying)
        let start = ContinuousClock.now
        let copy = try await copy()
        let seconds = (ContinuousClock.now - start).inSeconds
        try Task.checkCancellation()
        return (try await Rehearsal.run(copy, of: request.path, verifier, verify), seconds)
    }

    private func summary(
        _ rehearsal: Rehearsal, rehearsals: Int
    ) throws -> (report: VerifyReport, summary: MigrateSummary) {
        var summary = MigrateSummary(database: request.path, outcome: .rehearsed)
        summary.pending = pending.map(\.identifier)
        summary.bytesBefore = rehearsal.base.byteCount
        summary.bytesAfter = rehearsal.end?.byteCount ?? rehearsal.base.byteCount
        summary.rehearsals = rehearsals
        if !rehearsal.report.hasPassed {
            summary.outcome = .refused
        } else if let obstacle = try rehearsal.obstacle(pending) {
            summary.outcome = .refused
            summary.notes.append(obstacle)
        }
        return (rehearsal.report, summary)
    }

    /// What is to be written beside the database, and where.
    private func needs(
        _ rehearsal: Rehearsal, _ place: BackupPlace, isApplied: Bool
    ) throws -> [MigrateSummary.Need] {
        guard let end = rehearsal.end else { return [] }
        let folder = VacuumPlan.folder(of: realPath(of: request.path))
        let (before, after) = (rehearsal.base.byteCount, end.byteCount)
        let isLogged = try rehearsal.base.journalVersion() == 2
        var needs: [MigrateSummary.Need] = []
        func need(_ folder: String, _ bytes: Int, _ purpose: String) {
            needs.append(.init(folder: folder, bytes: bytes, purpose: purpose, free: DiskSpace.free(in: folder)))
        }
        if !isApplied, request.backup != MigrateRequest.Backup.none {
            let folder: String =
                switch request.backup {
                case .folder(let name): name
                case .path(let path): VacuumPlan.folder(of: path)
                default: folder
                }
            need(folder, before, "the backup")
        }
        // A frame of the log has 24 bytes more than its page.
        need(
            folder, isLogged ? after + after / end.pageSize * 24 + 32 : before,
            isLogged ? "the write-ahead log" : "the rollback journal, with the old pages")
        if after > before { need(folder, after - before, "what the database grows by") }
        return needs
    }

    // MARK: - Applying

    func run() async throws -> VerifyReport {
        let place = try BackupPlace(request)
        var rehearsals = 1
        var rehearsal = try await rehearse { try await copier.copy(into: place.folder) }.rehearsal
        for _ in 0..<Self.attempts {
            var (report, summary) = try self.summary(rehearsal, rehearsals: rehearsals)
            guard summary.outcome != .refused else {
                report.migrate = summary
                return report
            }
            try Task.checkCancellation()
            let start = ContinuousClock.now
            let held = try await hold()
            let outcome: Result<Installed, any Error>
            do {
                let live = try await held.image()
                if try !live.hasBytes(of: rehearsal.base) {
                    rehearsals += 1
                    rehearsal = try await rehearse { try copier.copy(live, into: place.folder) }.rehearsal
                    (report, summary) = try self.summary(rehearsal, rehearsals: rehearsals)
                }
                outcome = .success(try await install(rehearsal, &summary, place, held))
            } catch {
                outcome = .failure(error)
            }
            let isBusy = await held.release()
            let installed = try told(outcome, summary)
            guard installed != .not else { continue }
            summary.lockSeconds = (ContinuousClock.now - start).inSeconds
            if isBusy { summary.notes.append("a reader holds the log, so it becomes shorter at the next checkpoint") }
            report.migrate = summary
            return report
        }
        throw RequestError(
            "others commit to \(request.path) in every moment in which it is not locked, so nothing was done; it holds "
                + "what it held, and what they wrote")
    }

    private func hold() async throws -> HeldDatabase {
        do {
            return try await HeldDatabase.take(
                engine: engine, path: request.path, timeout: request.busyTimeout, stop: stop)
        } catch let error as EngineError {
            try Task.checkCancellation()
            throw RequestError(describe(error, backup: nil))
        }
    }

    private enum Installed { case whole, not, refused }

    /// Puts the rehearsal's pages in the place of the database's.
    private func install(
        _ rehearsal: Rehearsal, _ summary: inout MigrateSummary, _ place: BackupPlace, _ held: HeldDatabase
    ) async throws -> Installed {
        guard rehearsal.result?.isUpToDate == false else {
            summary.outcome = .upToDate
            summary.notes.append("another program has migrated it meanwhile")
            return .refused
        }
        guard summary.outcome != .refused, let end = rehearsal.end else { return .refused }
        summary.needs = try needs(rehearsal, place, isApplied: true)
        if request.checksDisk { try check(summary.needs) }
        try Task.checkCancellation()
        summary.backup = try place.keep(rehearsal.copy, version: rehearsal.version)
        let (note, stop) = (note, stop)
        let isInstalled = try await held.install(end) { done, total in
            note(.installing(done: done, total: total))
            return !stop.value
        }
        guard isInstalled else {
            // It is of a database that somebody has written since.
            if let backup = summary.backup { TemporaryCopy.delete(backup) }
            summary.backup = nil
            return .not
        }
        summary.outcome = .applied
        await readAgain(end, &summary, held)
        return .whole
    }

    private func readAgain(_ end: Image, _ summary: inout MigrateSummary, _ held: HeldDatabase) async {
        do {
            guard let installed = try await held.imageOfInstalled() else {
                summary.notes.append("others committed since, so the result was not read again")
                return
            }
            guard try !installed.hasBytes(of: end, isInstalled: true) else { return }
            summary.outcome = .damaged
        } catch {
            summary.notes.append("the result could not be read again: \(error)")
        }
    }

    private func check(_ needs: [MigrateSummary.Need]) throws {
        for (index, need) in needs.enumerated() {
            guard let free = need.free else { continue }
            // Needs of one file system add up.
            let total = needs.prefix(index + 1).filter { DiskSpace.areOnOne($0.folder, need.folder) }
                .reduce(0) { $0 + $1.bytes }
            guard total <= free else {
                throw RequestError(
                    "\(need.folder) has \(free) bytes free and \(total) are needed: \(need.purpose); free space, or "
                        + "have the backup elsewhere with --backup-folder; \(request.path) holds what it held")
            }
        }
    }

    // MARK: - What went wrong

    private func told(_ outcome: Result<Installed, any Error>, _ summary: MigrateSummary) throws -> Installed {
        do {
            return try outcome.get()
        } catch let error as EngineError {
            try Task.checkCancellation()
            throw RequestError(describe(error, backup: summary.backup))
        } catch let error as OverlayError {
            throw RequestError("\(request.path) cannot be read: \(error); it holds what it held")
        }
    }

    private func describe(_ error: EngineError, backup: String?) -> String {
        let path = request.path
        let rest = "\(path) holds what it held" + (backup.map { ", and so does its backup, \($0)" } ?? "")
        switch error.code {
        case 5, 6: return "another program holds \(path); wait for it, or stop it (\(error.message)); \(rest)"
        case 13: return "the disk is full: \(error.message); \(rest)"
        case 8: return "\(path) cannot be written: \(error.message); \(rest)"
        default: return "\(path) cannot be migrated: \(error.message); \(rest)"
        }
    }
}
