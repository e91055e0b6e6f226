import DatabaseEngine
import DrydockFiles
import DrydockFindings
import OverlayVFS

/// Makes a database smaller; at no moment could a crash lose it.
///
///     let request = VacuumRequest(path: "app.sqlite")
///     let report = try await Vacuum(engine: GRDBDriver()).run(request)
///     if let vacuum = report.vacuum { print(vacuum.forecast.bytes - vacuum.bytesAfter, "bytes freed") }
///
/// VACUUM INTO makes a copy, which is checked. Then this process locks the database exclusively, compares its rows with
/// the copy's, and the backup API replaces the old pages with the copy's in one transaction. Renaming the copy over the
/// database would be quicker, but programs that have the old file open would go on writing to a file without a name.
/// What was verified is what is installed: another program's commit between the copy and the lock shows in `PRAGMA
/// data_version` (https://www.sqlite.org/pragma.html#pragma_data_version), and the copy is made again.
public struct Vacuum: Sendable {
    private let engine: any Engine
    private let note: @Sendable (VacuumEvent) -> Void

    public init(engine: any Engine, onEvent note: @escaping @Sendable (VacuumEvent) -> Void = { _ in }) {
        self.engine = engine
        self.note = note
    }

    /// Vacuums a database. Stops soon after the task is cancelled.
    /// - Throws: ``RequestError``, `CancellationError`; the database is then unchanged.
    public func run(_ request: VacuumRequest) async throws -> Report {
        let start = ContinuousClock.now
        if request.into == nil, let fault = HardLinks.fault(of: request.path) {
            throw RequestError(.refused, fault)
        }
        do {
            if !request.isForecast { try await recover(request) }
            let plan = try await VacuumPlan(request, engine)
            try plan.check()
            var summary = VacuumSummary(database: request.path, forecast: plan.forecast)
            if plan.forecast.bytes == 0, request.into == nil {
                summary.method = .untouched
            } else if !request.isForecast {
                summary = try await withConnection(request) { try await vacuum(request, plan, $0, summary) }
                summary.bytesAfter = try FolderListing.size(of: request.into ?? request.path)
            }
            var report = Report(.vacuum(summary))
            report.seconds = (ContinuousClock.now - start) / .seconds(1)
            return report
        } catch let error as EngineError {
            try Task.checkCancellation()
            throw RequestError(.init(error), Self.describe(error, request.path))
        }
    }

    /// Opens the database for writing, on one connection that changes nothing by itself.
    private func withConnection<Result: Sendable>(
        _ request: VacuumRequest, _ body: (any OpenDatabase) async throws -> Result
    ) async throws -> Result {
        var settings = VacuumCheck.settings
        settings.busyTimeout = request.busyTimeout
        let isStopped = StopFlag()
        settings.interrupt = { isStopped.value }
        let path = realPath(of: request.path)
        let state = LiveState(path)
        let habit = state.isLogged ? JournalModeGuess.deleted : JournalModeGuess(path)
        // Opening creates an empty log, which is deleted again.
        let keepsLog = request.into != nil && state.logSize ?? 0 > 0
        let database = try await engine.open(.uri(fileURI(of: request.path)), settings: settings)
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(
                try await withTaskCancellationHandler {
                    try await database.withConnection {
                        try habit.adopt($0)
                        if keepsLog { $0.keepLogOnClose() }
                    }
                    return try await body(database)
                } onCancel: {
                    isStopped.set()
                })
        } catch {
            outcome = .failure(error)
        }
        try await database.close()
        return try outcome.get()
    }

    /// Rolls back what a program that was killed while it wrote left in the journal; the next connection that opens the
    /// database for writing does so.
    private func recover(_ request: VacuumRequest) async throws {
        guard (try? FolderListing.size(of: realPath(of: request.path) + Sidecar.journal)) ?? 0 > 0 else {
            return
        }
        try await withConnection(request) { database in
            try await database.withConnection { connection in
                _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
            }
        }
    }

    private func vacuum(
        _ request: VacuumRequest, _ plan: VacuumPlan, _ database: any OpenDatabase, _ summary: VacuumSummary
    ) async throws -> VacuumSummary {
        var summary = summary
        if let pages = request.incrementalPages {
            try await reclaim(pages, request, database, &summary)
            return summary
        }
        let path = request.path
        try await database.withConnection { try VacuumCheck.checkIntegrity($0, path) }
        if let into = request.into {
            try await copyInto(into, request, database, &summary)
        } else {
            try await replace(request, plan, database, &summary)
        }
        return summary
    }

    // MARK: - Into another file

    private func copyInto(
        _ path: String, _ request: VacuumRequest, _ database: any OpenDatabase, _ summary: inout VacuumSummary
    ) async throws {
        summary.method = .into
        let copy = try TemporaryCopy(of: request.path, in: PathParts.folder(of: path))
        let check = VacuumCheck(engine: engine, copy: copy.path)
        let (note, pageSize) = (note, request.pageSize)
        // VACUUM INTO cannot run in a transaction together with the comparison, so the version shows a commit between
        // them.
        for _ in 0..<5 {
            let version = try await make(copy, request, database, &summary)
            let content = try await check.content()
            let counts = try await database.withConnection { connection -> (tables: Int, rows: Int)? in
                try connection.execute("BEGIN")
                defer { try? connection.execute("COMMIT") }
                guard try LiveLock.version(connection) == version else { return nil }
                return try check.compare(content, on: connection, pageSize: pageSize, note)
            }
            guard let counts else { continue }
            (summary.tablesCompared, summary.rowsCompared) = counts
            if request.analyzes { try await check.analyze() }
            return try copy.keep(as: path)
        }
        throw RequestError(
            .databaseBusy,
            "\(request.path) is written faster than it can be copied and compared; try again later")
    }

    // MARK: - Into the database itself

    private func replace(
        _ request: VacuumRequest, _ plan: VacuumPlan, _ database: any OpenDatabase,
        _ summary: inout VacuumSummary
    ) async throws {
        let copy = try TemporaryCopy(of: request.path, in: plan.temporaryFolder)
        // The file is deleted with this object.
        defer { withExtendedLifetime(copy) {} }
        let check = VacuumCheck(engine: engine, copy: copy.path)
        let version = try await make(copy, request, database, &summary)
        var content = try await check.content()
        guard try await LiveLock.take(on: database, request.busyTimeout) else {
            return try await vacuumInPlace(request, check, content, version, database, &summary)
        }
        if try await database.withConnection({ try LiveLock.version($0) }) != version {
            _ = try await make(copy, request, database, &summary)
            content = try await check.content()
        }
        let (note, pageSize, ready, path) = (note, request.pageSize, content, copy.path)
        let analyzes = request.analyzes
        let counts = try await database.withConnection { connection in
            let counts = try check.compare(ready, on: connection, pageSize: pageSize, note)
            try connection.replaceContent(withDatabaseAt: path) { note(.installing(done: $0, total: $1)) }
            if analyzes { try connection.execute("ANALYZE") }
            try LiveLock.release(connection)
            return counts
        }
        (summary.tablesCompared, summary.rowsCompared) = counts
        summary.method = .installed
    }

    /// Makes a copy as of one moment.
    /// - Returns: The data version that was copied, or an earlier one.
    private func make(
        _ copy: TemporaryCopy, _ request: VacuumRequest, _ database: any OpenDatabase,
        _ summary: inout VacuumSummary
    ) async throws -> Int64 {
        try copy.empty()
        summary.copies += 1
        note(.copying)
        let (pageSize, path) = (request.pageSize, copy.path)
        return try await database.withConnection { connection in
            let version = try LiveLock.version(connection)
            if let pageSize { try connection.execute("PRAGMA page_size = \(pageSize)") }
            try connection.execute("VACUUM INTO \(quotedText(path))")
            return version
        }
    }

    /// Runs SQLite's own VACUUM: one transaction in the log, which readers that have the file open see like any other.
    private func vacuumInPlace(
        _ request: VacuumRequest, _ check: VacuumCheck, _ content: VacuumCheck.Content, _ version: Int64,
        _ database: any OpenDatabase, _ summary: inout VacuumSummary
    ) async throws {
        let renumbered = try await database.withConnection { try VacuumCheck.tablesToRenumber($0) }
        guard !content.hasSearchContentByRowid, renumbered.isEmpty else {
            throw RequestError(
                .refused,
                "other programs have \(summary.database) open in WAL mode, so only SQLite's own VACUUM could be run, and it "
                    + "would give rows of \(renumbered.first ?? "a table") different rowids: stop the programs that "
                    + "have the file open, or make a copy with --into")
        }
        summary.method = .inPlace
        summary.notes.append(
            "other programs have the file open in WAL mode, so SQLite's own VACUUM was run in place")
        let (note, analyzes, path) = (note, request.analyzes, request.path)
        let (counts, isBusy) = try await database.withConnection { connection in
            try connection.execute("VACUUM")
            try VacuumCheck.checkIntegrity(connection, "\(path) after SQLite's VACUUM")
            try connection.execute("BEGIN")
            let isAlone = try LiveLock.version(connection) == version
            let counts = try isAlone ? check.compare(content, on: connection, pageSize: nil, note) : nil
            try connection.execute("COMMIT")
            if analyzes { try connection.execute("ANALYZE") }
            return (counts, try LiveLock.checkpoint(connection))
        }
        if isBusy {
            summary.notes.append(
                "another program is reading the log, so the file becomes smaller only at the next checkpoint")
        }
        if let counts {
            (summary.tablesCompared, summary.rowsCompared) = counts
        } else {
            summary.notes.append("other programs committed in the meantime, so rows were not compared")
        }
    }

    // MARK: - Free pages only

    private func reclaim(
        _ limit: Int, _ request: VacuumRequest, _ database: any OpenDatabase, _ summary: inout VacuumSummary
    ) async throws {
        summary.method = .incremental
        var left = limit
        while left > 0 {
            let slice = min(left, 1000)
            let (before, after) = try await database.withConnection { connection in
                func free() throws -> Int {
                    try connection.firstRow("PRAGMA freelist_count") { Int($0.integer(0)) } ?? 0
                }
                let before = try free()
                try connection.forEachRow("PRAGMA incremental_vacuum(\(slice))") { _ in }
                return (before, try free())
            }
            if after >= before || after == 0 { break }
            left -= before - after
        }
        try await database.withConnection { connection in
            if request.analyzes { try connection.execute("ANALYZE") }
            _ = try LiveLock.checkpoint(connection)
        }
    }

    private static func describe(_ error: EngineError, _ path: String) -> String {
        let rest = "\(path) is unchanged"
        switch error.code {
        case .busy, .locked:
            return "another program has \(path) locked; wait for it, or stop it (\(error.message)); \(rest)"
        case .full: return "the disk is full: \(error.message); \(rest)"
        case .readOnly where error.needsRollback:
            return
                "a program was stopped in the middle of a write to \(path), and only a user who may write it can undo "
                + "that; \(rest)"
        case .readOnly where LiveState(path).isLogged:
            return
                "\(path) is in WAL mode, and SQLite needs a -shm file beside it that this user cannot "
                + "create: run this as a user who can; \(rest)"
        case .readOnly: return "\(path) cannot be written: \(error.message); \(rest)"
        case .inputOutput where error.isFailedWrite:
            return
                "the copy of \(path), or the journal or log beside the database, cannot be written (\(error.message)): "
                + "\(EngineError.failedWriteAdvice); \(rest)"
        default: return "\(path) cannot be vacuumed: \(error.message); \(rest)"
        }
    }
}
