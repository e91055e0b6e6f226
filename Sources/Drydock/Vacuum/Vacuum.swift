import DatabaseEngine
import Foundation

/// Makes a database small again without any moment at which it could be lost.
///
/// VACUUM INTO makes a copy, which is checked; then the database is locked for this process alone, the copy's
/// rows are held against it, and the backup API puts the copy's pages in the place of the old ones in one
/// transaction. Renaming the copy over the database would be quicker, but whoever has the old file open would
/// go on writing into a file without a name. What was verified is what is installed: a commit of somebody else
/// between the copy and the lock shows in `PRAGMA data_version`
/// (https://www.sqlite.org/pragma.html#pragma_data_version), and the copy is made again.
public struct Vacuum: Sendable {
    private let engine: any Engine
    private let note: @Sendable (VacuumEvent) -> Void

    public init(engine: any Engine, onEvent note: @escaping @Sendable (VacuumEvent) -> Void = { _ in }) {
        self.engine = engine
        self.note = note
    }

    /// - Throws: ``RequestError``; the database is then as it was.
    public func run(_ request: VacuumRequest) async throws -> VacuumReport {
        let start = ContinuousClock.now
        let plan = try await VacuumPlan(request, engine)
        var report = VacuumReport(
            path: request.path, method: .forecast, forecast: plan.forecast,
            bytesAfter: plan.forecast.bytesAfter)
        if !request.isForecast {
            try plan.check()
            do {
                try await vacuum(request, plan, &report)
            } catch let error as EngineError {
                throw RequestError(Self.describe(error, request.path))
            }
            report.bytesAfter = try FolderListing.size(of: request.into ?? request.path)
        }
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }

    private func vacuum(_ request: VacuumRequest, _ plan: VacuumPlan, _ report: inout VacuumReport)
        async throws
    {
        var settings = ConnectionSettings()
        settings.busyTimeout = request.busyTimeout
        settings.foreignKeys = false
        let database = try await engine.open(.live(path: request.path), settings: settings)
        let outcome: Result<VacuumReport, any Error>
        do {
            var copy = report
            if let pages = request.incrementalPages {
                try await reclaim(pages, database, &copy)
            } else if let path = request.into {
                try await copyInto(path, request, database, &copy)
            } else {
                try await replace(request, plan, database, &copy)
            }
            outcome = .success(copy)
        } catch {
            outcome = .failure(error)
        }
        try await database.close()
        report = try outcome.get()
    }

    // MARK: - Into another file

    private func copyInto(
        _ path: String, _ request: VacuumRequest, _ database: any OpenDatabase, _ report: inout VacuumReport
    ) async throws {
        if FolderListing.exists(path) { throw RequestError("'\(path)' is there already; name a new file") }
        report.method = .into
        do {
            let check = VacuumCheck(engine: engine, copy: path)
            let (note, pageSize) = (note, request.pageSize)
            // One read transaction cannot hold both, since VACUUM INTO needs none: a commit between shows.
            for _ in 0..<5 {
                let version = try await copy(to: path, request, database, &report)
                let content = try await check.content()
                let counts = try await database.withConnection { connection -> (tables: Int, rows: Int)? in
                    try connection.execute("BEGIN")
                    defer { try? connection.execute("COMMIT") }
                    guard try Self.version(connection) == version else { return nil }
                    return try check.compare(content, on: connection, pageSize: pageSize, note)
                }
                if let counts {
                    (report.tablesCompared, report.rowsCompared) = counts
                    return
                }
                try TemporaryCopy.delete(path)
            }
            throw RequestError(
                "\(request.path) is written faster than it can be copied and compared; try again later")
        } catch {
            try? TemporaryCopy.delete(path)
            throw error
        }
    }

    // MARK: - In the database's place

    private func replace(
        _ request: VacuumRequest, _ plan: VacuumPlan, _ database: any OpenDatabase,
        _ report: inout VacuumReport
    ) async throws {
        let copy = try TemporaryCopy(of: request.path, in: plan.temporaryFolder)
        defer { copy.remove() }
        let check = VacuumCheck(engine: engine, copy: copy.path)
        var version = try await self.copy(to: copy.path, request, database, &report)
        var content = try await check.content()
        guard try await lock(database, request.busyTimeout) else {
            return try await vacuumInPlace(check, content, version, database, &report)
        }
        if try await database.withConnection({ try Self.version($0) }) != version {
            try TemporaryCopy.delete(copy.path)
            version = try await self.copy(to: copy.path, request, database, &report)
            content = try await check.content()
        }
        let (note, pageSize, ready, path) = (note, request.pageSize, content, copy.path)
        let analyzes = request.analyzes
        let counts = try await database.withConnection { connection in
            let counts = try check.compare(ready, on: connection, pageSize: pageSize, note)
            try connection.replaceContent(withDatabaseAt: path) { note(.installing(done: $0, total: $1)) }
            if analyzes { try connection.execute("ANALYZE") }
            try Self.settle(connection)
            return counts
        }
        (report.tablesCompared, report.rowsCompared) = counts
        report.method = .installed
    }

    /// The copy of one moment.
    /// - Returns: the version of the database that it was made of, or of one before.
    private func copy(
        to path: String, _ request: VacuumRequest, _ database: any OpenDatabase, _ report: inout VacuumReport
    ) async throws -> Int64 {
        report.copies += 1
        note(.copying)
        let pageSize = request.pageSize
        return try await database.withConnection { connection in
            let version = try Self.version(connection)
            if let pageSize { try connection.execute("PRAGMA page_size = \(pageSize)") }
            try connection.execute("VACUUM INTO \(quotedText(path))")
            return version
        }
    }

    private static func version(_ connection: any Connection) throws -> Int64 {
        // Reading makes the connection look for what others wrote.
        _ = try connection.firstRow("SELECT count(*) FROM main.sqlite_schema") { $0.integer(0) }
        return try connection.firstRow("PRAGMA main.data_version") { $0.integer(0) } ?? 0
    }

    /// Locks everybody else out until ``settle(_:)`` or the end of the connection.
    /// - Returns: false where that cannot be had, since somebody has the database open in WAL mode.
    private func lock(_ database: any OpenDatabase, _ timeout: Duration) async throws -> Bool {
        let busyMilliseconds = Int(timeout / .milliseconds(1))
        return try await database.withConnection { connection in
            let isLogged = try connection.firstRow("PRAGMA main.journal_mode") { $0.string(0) } == "wal"
            try connection.execute("PRAGMA main.locking_mode = EXCLUSIVE")
            // In WAL mode it is not for a moment that others have the file open.
            if isLogged { try connection.execute("PRAGMA busy_timeout = 100") }
            defer { if isLogged { try? connection.execute("PRAGMA busy_timeout = \(busyMilliseconds)") } }
            do {
                try connection.execute("BEGIN EXCLUSIVE; COMMIT")
                return true
            } catch let error as EngineError where error.code == 5 {
                if connection.isInTransaction { try connection.execute("ROLLBACK") }
                try connection.execute("PRAGMA main.locking_mode = NORMAL")
                _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
                guard try connection.firstRow("PRAGMA main.journal_mode", [], { $0.string(0) }) == "wal"
                else {
                    throw error
                }
                return false
            }
        }
    }

    private static func settle(_ connection: any Connection) throws {
        _ = try connection.rows("PRAGMA main.wal_checkpoint(TRUNCATE)") { $0.integer(0) }
        try connection.execute("PRAGMA main.locking_mode = NORMAL")
        // The lock goes with the next statement that reads.
        _ = try connection.firstRow("SELECT count(*) FROM main.sqlite_schema") { $0.integer(0) }
    }

    /// SQLite's own: one transaction in the log, which readers that hold the file open see like any other.
    private func vacuumInPlace(
        _ check: VacuumCheck, _ content: VacuumCheck.Content, _ version: Int64, _ database: any OpenDatabase,
        _ report: inout VacuumReport
    ) async throws {
        if content.hasSearchContentByRowid {
            throw RequestError(
                "others have \(report.path) open in WAL mode, so only SQLite's own VACUUM could be run; it may "
                    + "give rows other rowids, and a full-text index knows them by those: stop the programs that "
                    + "have the file open, or make a copy with --into")
        }
        report.method = .inPlace
        report.notes.append("others have the file open in WAL mode, so SQLite's own VACUUM was run in place")
        let note = note
        let (faults, counts) = try await database.withConnection { connection in
            try connection.execute("VACUUM")
            let faults = try connection.rows("PRAGMA integrity_check(10)") { $0.string(0) }
            try connection.execute("BEGIN")
            defer { try? connection.execute("COMMIT") }
            let isAlone = try Self.version(connection) == version
            return (faults, isAlone ? try check.compare(content, on: connection, pageSize: nil, note) : nil)
        }
        try await database.withConnection { connection in
            _ = try connection.rows("PRAGMA main.wal_checkpoint(TRUNCATE)") { $0.integer(0) }
        }
        if faults != ["ok"] {
            throw RequestError("after VACUUM the integrity check says: \(faults.joined(separator: "; "))")
        }
        if let counts {
            (report.tablesCompared, report.rowsCompared) = counts
        } else {
            report.notes.append("others committed meanwhile, so rows were not compared")
        }
    }

    // MARK: - Free pages alone

    private func reclaim(_ limit: Int, _ database: any OpenDatabase, _ report: inout VacuumReport)
        async throws
    {
        report.method = .incremental
        guard
            try await database.withConnection({ try $0.firstRow("PRAGMA auto_vacuum") { $0.integer(0) } })
                == 2
        else {
            throw RequestError(
                "\(report.path) has no incremental auto_vacuum, so pages cannot be given back in slices: "
                    + "leave --incremental out")
        }
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
            _ = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) }
        }
    }

    private static func describe(_ error: EngineError, _ path: String) -> String {
        let rest = "\(path) is as it was"
        switch error.code {
        case 5, 6: return "another program holds \(path); wait for it, or stop it (\(error.message)); \(rest)"
        case 13: return "the disk is full: \(error.message); \(rest)"
        case 8: return "\(path) cannot be written: \(error.message); \(rest)"
        default: return "\(path) cannot be vacuumed: \(error.message); \(rest)"
        }
    }
}
