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
        let isShared = isOpenElsewhere
        // The copy was written and read again. Under the lock everything is read; where others have the log open, it
        // is also written twice.
        summary.lockSeconds = isShared ? seconds * 2 : seconds / 2
        summary.needs = try backupNeed(rehearsal) + needs(rehearsal, isShared: isShared)
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
        summary.bytesBefore = rehearsal.base?.byteCount ?? 0
        summary.bytesAfter = rehearsal.end?.byteCount ?? summary.bytesBefore
        summary.rehearsals = rehearsals
        if !rehearsal.report.hasPassed {
            summary.outcome = .refused
        } else if let obstacle = try rehearsal.obstacle(pending) {
            summary.outcome = .refused
            summary.notes.append(obstacle)
        }
        return (rehearsal.report, summary)
    }

    private func backupNeed(_ rehearsal: Rehearsal) -> [MigrateSummary.Need] {
        let folder: String
        switch request.backup {
        case .some(.none): return []
        case .folder(let name): folder = name
        case .path(let path): folder = VacuumPlan.folder(of: path)
        case nil: folder = self.folder
        }
        return [need(folder, rehearsal.base?.byteCount ?? 0, "the backup")]
    }

    /// What is written beside the database, and what it grows by.
    /// - Parameter isShared: whether others have its log open.
    private func needs(_ rehearsal: Rehearsal, isShared: Bool) throws -> [MigrateSummary.Need] {
        guard let end = rehearsal.end, let base = rehearsal.base else { return [] }
        var needs: [MigrateSummary.Need] = []
        if !isShared, let delta = try PageDelta(from: base, to: end) {
            // A page's number and checksum are beside it.
            let bytes = delta.kept.count * (delta.pageSize + 8) + 512
            needs.append(need(folder, bytes, "the rollback journal, with the old pages"))
        } else if isShared {
            // A frame of the log has 24 bytes more than its page.
            let bytes = end.byteCount + end.byteCount / end.pageSize * 24 + 32
            needs.append(need(folder, bytes, "the write-ahead log, which others have open, with every page"))
        } else {
            needs.append(need(folder, base.byteCount, "the rollback journal, with every page"))
        }
        let growth = end.byteCount - base.byteCount
        return growth > 0 ? needs + [need(folder, growth, "what the database grows by")] : needs
    }

    /// Whether others have its log open; to be asked while this process has no connection to it.
    private var isOpenElsewhere: Bool {
        let state = LiveState(request.path)
        return state.isLogged && state.isOpenElsewhere
    }

    private var folder: String { VacuumPlan.folder(of: realPath(of: request.path)) }

    private func need(_ folder: String, _ bytes: Int, _ purpose: String) -> MigrateSummary.Need {
        .init(folder: folder, bytes: bytes, purpose: purpose, free: DiskSpace.free(in: folder))
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
            if request.checksDisk { try check(needs(rehearsal, isShared: isOpenElsewhere)) }
            let start = ContinuousClock.now
            let held = try await hold()
            let outcome: Result<Installed, any Error>
            do {
                let live = try await held.image()
                if try rehearsal.base.map({ try live.hasBytes(of: $0) }) != true {
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
            if isBusy {
                summary.notes.append("a reader holds the log, so it becomes shorter at the next checkpoint")
            }
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
        guard summary.outcome != .refused, let end = rehearsal.end, let base = rehearsal.base else {
            return .refused
        }
        summary.needs = try needs(rehearsal, isShared: !held.isAlone)
        if request.checksDisk { try check(summary.needs) }
        try Task.checkCancellation()
        summary.backup = try place.keep(rehearsal.copy, version: rehearsal.version)
        let (note, stop) = (note, stop)
        let isInstalled = try await held.install(end, over: base) { done, total in
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
            switch try await held.isInstalled(end) {
            case true?: break
            case false?: summary.outcome = .damaged
            case nil: summary.notes.append("others committed since, so the result was not read again")
            }
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
                        + "have the backup elsewhere with --backup-folder; \(request.path) holds what it held"
                )
            }
        }
    }

    // MARK: - What went wrong

    private func told(_ outcome: Result<Installed, any Error>, _ summary: MigrateSummary) throws -> Installed
    {
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
        // The files that SQLite makes beside the database fail so.
        case 10 where (DiskSpace.free(in: folder) ?? .max) < 1 << 17: return "the disk is full; \(rest)"
        case 8: return "\(path) cannot be written: \(error.message); \(rest)"
        default: return "\(path) cannot be migrated: \(error.message); \(rest)"
        }
    }
}
