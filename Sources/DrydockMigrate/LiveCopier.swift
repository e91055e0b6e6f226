import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import OverlayVFS

/// Copies a database that other programs may be writing, byte for byte as of one moment.
struct LiveCopier: Sendable {
    let engine: any Engine
    let path: String
    let stop: StopFlag
    var checksDisk = true
    /// When whoever looks must be done; nil for no limit.
    var deadline: ContinuousClock.Instant?

    /// Reads the live database itself.
    /// - Throws: ``RequestError`` if it cannot be read as of one moment.
    func look<Result: Sendable>(
        _ body: @escaping @Sendable (LiveOverlay.Slice) throws -> Result
    ) async throws -> Result {
        try await read { try await $0.slice(body) }
    }

    /// Reads the live database after something was prepared for what it shows.
    func look<Sign: AnyObject & Sendable, Result: Sendable>(
        for sign: @escaping @Sendable (any Connection) throws -> Sign,
        _ prepare: (Sign) async throws -> @Sendable (LiveOverlay.Slice) throws -> Result
    ) async throws -> Result {
        try await read { live in
            let first = try await live.slice { slice in
                try slice.memo.value { try sign(slice.connection) }
            }
            let body = try await prepare(first)
            return try await live.slice { slice in
                guard try slice.memo.value({ try sign(slice.connection) }) === first else {
                    throw LiveOverlay.Outlasted()
                }
                return try body(slice)
            }
        }
    }

    private func read<Result: Sendable>(
        _ body: (LiveOverlay) async throws -> Result
    ) async throws -> Result {
        var settings = ConnectionSettings()
        settings.foreignKeys = false
        settings.doubleQuotedStrings = true
        let limits =
            (LiveState(path).isLogged ? [] : [LockWaits.shortRead])
            + Array(repeating: LockWaits.longRead, count: LockWaits.longReads)
        for limit in limits {
            let live = LiveOverlay(
                engine: engine, path: path, settings: settings, limit: limit,
                isStopped: { [stop, deadline] in
                    stop.value || deadline.map { ContinuousClock.now >= $0 } ?? false
                })
            do {
                let result = try await body(live)
                await live.close()
                return result
            } catch is LiveOverlay.Outlasted {
                await live.close()
            } catch {
                await live.close()
                try Task.checkCancellation()
                throw fault(error)
            }
        }
        throw RequestError(
            .databaseBusy,
            "\(path) is written constantly, so it could not be read in a consistent state; try again")
    }

    /// - Throws: ``RequestError`` if the database cannot be read or the copy cannot be made.
    func copy(into folder: String) async throws -> TemporaryCopy {
        try await look { try copy($0.image, into: folder) }
    }

    func copy(_ image: Image, into folder: String) throws -> TemporaryCopy {
        if checksDisk, let free = DiskSpace.free(in: folder), free < image.byteCount {
            throw RequestError(
                .diskFull,
                "\(folder) has \(free) bytes free and \(image.byteCount) are needed for a copy of \(path): free space, "
                    + "or name another folder with --backup-folder or --temporary-folder")
        }
        let copy = try TemporaryCopy(of: path, in: folder, mark: TemporaryCopy.migrateMark)
        try copy.fill(with: image)
        return copy
    }

    private func fault(_ error: any Error) -> any Error {
        if let fault = SnapshotFile.fault(of: path), !(error is RequestError) {
            return RequestError(.databaseUnreadable, fault.message)
        }
        switch error {
        case let error as EngineError where error.code == .busy:
            return RequestError(
                .databaseBusy,
                "\(path) cannot be read: \(error.message); another program has it locked, try again later")
        case let error as EngineError:
            return RequestError(.init(error), "\(path) cannot be read: \(error.message)")
        case let error as OverlayError:
            return RequestError(.databaseUnreadable, "\(path) cannot be read: \(error)")
        default: return error
        }
    }
}
