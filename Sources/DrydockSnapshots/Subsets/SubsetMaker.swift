import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import DrydockState
import Foundation
import OverlayVFS
import SQLiteSchema

/// Makes a small snapshot of a database that programs may have open: some rows of each table with all that they refer to,
/// masked where requested.
///
///     let report = try await SubsetMaker(engine: GRDBDriver()).run(request)
///     print(report.rowCount)
///
/// The database is read as it is at one moment, and nothing is written to it or beside it. The snapshot is written to a
/// hidden file beside its place, checked, and gets its name last.
public struct SubsetMaker: Sendable {
    let engine: any Engine
    let onStage: @Sendable (SubsetStage) -> Void

    public init(engine: any Engine, onStage: @escaping @Sendable (SubsetStage) -> Void = { _ in }) {
        (self.engine, self.onStage) = (engine, onStage)
    }

    /// How long a read transaction may last. In a rollback journal mode no program can commit meanwhile, so the first is
    /// short: a read that outlasts it is valid if nobody wrote.
    private static let limits: [Duration] = [.seconds(1), .seconds(3600), .seconds(3600), .seconds(3600)]

    /// - Throws: ``RequestError`` if the database cannot be read, the request does not fit it, or the file exists or cannot
    ///   be written; CancellationError if the task is cancelled. There is no file then.
    public func run(_ request: SubsetRequest) async throws -> SubsetReport {
        let start = ContinuousClock.now
        try Self.check(request)
        let run = SubsetRun(engine: engine, request: request, onStage: onStage)
        var report = try await withTaskCancellationHandler {
            try await attempts(run)
        } onCancel: {
            run.stop.set()
        }
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }

    private func attempts(_ run: SubsetRun) async throws -> SubsetReport {
        let path = run.request.database
        let isLogged = LiveState(path).isLogged
        for limit in isLogged ? Array(Self.limits.dropFirst()) : Self.limits {
            let live = LiveOverlay(
                engine: engine, path: path, settings: run.settings, limit: limit,
                isStopped: {
                    run.release.poll()
                    return run.stop.value
                })
            do {
                let report = try await run.make(live)
                await live.close()
                return report
            } catch is LiveOverlay.Outlasted {
                await live.close()
            } catch {
                await live.close()
                try Task.checkCancellation()
                throw Self.fault(error, run.request)
            }
            try Task.checkCancellation()
        }
        throw RequestError(
            .databaseBusy,
            "'\(path)' is written constantly, so it could not be read in a consistent state; try again")
    }

    private static func check(_ request: SubsetRequest) throws {
        let path = request.database
        guard FolderListing.exists(path) else {
            throw RequestError(.notFound, FolderListing.missing("database", path))
        }
        if FolderListing.isFolder(path) {
            throw RequestError(.unreadable, "'\(path)' is a folder, not a database")
        }
        if FolderListing.isSpecial(path) {
            throw RequestError(.unreadable, "'\(path)' is not a regular file, so it is not a database")
        }
        try NewFile.check(request.output)
    }

    private static func fault(_ error: any Error, _ request: SubsetRequest) -> any Error {
        let path = request.database
        switch error {
        case let error as RequestError: return error
        case let error as EngineError where error.isFullDisk:
            return RequestError(
                .diskFull, "'\(request.output)' cannot be written: the disk is full. Nothing is left of it")
        case let error as EngineError where error.isInterrupt: return CancellationError()
        case let error as EngineError:
            if let fault = SnapshotFile.fault(of: path) {
                return RequestError(.databaseUnreadable, fault.message)
            }
            let remedy = error.isCorruption ? ": it is damaged; drydock health '\(path)' says where" : ""
            return RequestError(
                .init(error),
                "no snapshot of '\(path)' can be made: \(error.message)\(remedy). Nothing was written")
        case let error as OverlayError:
            return RequestError(.databaseUnreadable, "'\(path)' cannot be read: \(error)")
        case let error as SubsetTarget.Unlike:
            return RequestError(
                .refused,
                "no snapshot of '\(path)' can be made: SQLite does not make \(quotedIfNeeded(error.name)) "
                    + "again as the database has it. Nothing was written")
        default: return error
        }
    }
}
