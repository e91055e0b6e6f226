import DatabaseEngine
import DrydockFiles
import DrydockFindings
import Foundation
import OverlayVFS
import SQLiteFile
import Synchronization

/// Reads the pages of a database that other programs may have open, as of one moment and without writing.
///
/// How depends on the journal mode:
///
/// - rollback journal: the SHARED lock of a read transaction keeps other programs from writing the file;
/// - write-ahead log in use: a read transaction keeps the pages of its snapshot, in the file and in the log, from being
///   overwritten, and the log's salts show whether the log was restarted;
/// - write-ahead log that no program has open: opening it would create or change files beside it, so it is read without
///   a connection, and read again if it has changed.
///
/// A connection of this process to the same file loses its locks when the read ends
/// (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_), so none
/// may be open.
struct LiveFile: Sendable {
    private let engine: any Engine
    /// The path as the user gave it, for messages.
    private let name: String
    private let path: String

    init(engine: any Engine, path: String) {
        (self.engine, name) = (engine, path)
        self.path = realPath(of: path)
    }

    private static let attempts = 5

    /// An error that says that the file was written during the read.
    private struct Changed: Error {}

    /// Reads the pages and passes them to `body`.
    /// - Throws: ``RequestError`` that names the file, also for damage; and what `body` throws.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (DatabaseFile, WriteAheadLog?) throws -> Result
    ) async throws -> Result {
        guard FolderListing.exists(path) else {
            throw RequestError(.notFound, FolderListing.missing("database", name))
        }
        if FolderListing.isFolder(path) {
            throw RequestError(.unreadable, "'\(name)' is a folder, not a database")
        }
        if FolderListing.isSpecial(path) {
            throw RequestError(.unreadable, "'\(name)' is not a regular file, so it is not a database")
        }
        for _ in 0..<Self.attempts {
            do {
                let state = LiveState(resolved: path)
                if state.usesLog, !state.isLockable {
                    let main = try MappedFile(path: path, holdsDescriptor: true)
                    defer { main.closeDescriptor() }
                    return try readAtRest(main, body)
                }
                return try await readLocked(body)
            } catch is Changed {
                continue
            } catch OverlayError.unreadable(_, let code) {
                throw RequestError(
                    .databaseUnreadable, "\(name) cannot be read: \(FolderListing.describe(code))")
            } catch let error as OverlayError {
                throw RequestError(.databaseUnreadable, "\(error)")
            } catch let error as EngineError {
                if let fault = SnapshotFile.fault(of: name) {
                    throw RequestError(.databaseUnreadable, fault.message)
                }
                throw RequestError(.init(error), describe(error))
            } catch let damage as FileDamage {
                throw RequestError(
                    .databaseUnreadable,
                    SnapshotFile.fault(of: name)?.message ?? "\(name) is damaged: \(damage)")
            }
        }
        throw RequestError(
            .databaseBusy, "\(name) is replaced or truncated faster than it can be read; try again later")
    }

    private func describe(_ error: EngineError) -> String {
        // SQLITE_READONLY_ROLLBACK
        if error.needsRollback {
            return "\(name) cannot be read: a program was stopped in the middle of a write, "
                + "and the next one that opens it for writing rolls that back"
        }
        let remedy = error.code == .busy ? "; another program has it locked, try again later" : ""
        return "\(name) cannot be read: \(error.message)\(remedy)"
    }

    // MARK: - Ways to read

    private func readLocked<Result: Sendable>(
        _ body: @escaping @Sendable (DatabaseFile, WriteAheadLog?) throws -> Result
    ) async throws -> Result {
        var settings = ConnectionSettings()
        settings.readOnly = true
        settings.isDefensive = true
        let database = try await engine.open(.live(path: path), settings: settings)
        // The files are closed after the connection: closing them earlier would drop its locks.
        let held = Mutex<[MappedFile]>([])
        @Sendable func map(_ path: String) throws -> MappedFile {
            let file = try MappedFile(path: path, holdsDescriptor: true)
            held.withLock { $0.append(file) }
            return file
        }
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(
                try await database.read { connection in
                    // The first statement that reads takes the lock.
                    _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
                    let main = try map(path)
                    guard main.isAtPath else { throw Changed() }
                    func read() throws -> Result {
                        try readPages(main, hasLog ? try map(path + Sidecar.log) : nil, body)
                    }
                    // A log whose pages are all in the file may be restarted, but only once during this transaction,
                    // since no page of the new log can be moved to the file meanwhile.
                    do { return try read() } catch is Changed { return try read() }
                })
        } catch {
            outcome = .failure(error)
        }
        try await database.close()
        for file in held.withLock({ $0 }) { file.closeDescriptor() }
        return try outcome.get()
    }

    private func readAtRest<Result>(
        _ main: MappedFile, _ body: (DatabaseFile, WriteAheadLog?) throws -> Result
    ) throws -> Result {
        let hadLog = hasLog
        let log = hadLog ? try MappedFile(path: path + Sidecar.log) : nil
        let outcome = Swift.Result { try readPages(main, log, body) }
        do {
            try main.checkUnchanged()
            try log?.checkUnchanged()
        } catch {
            throw Changed()
        }
        guard hadLog == hasLog else { throw Changed() }
        return try outcome.get()
    }

    private func readPages<Result>(
        _ main: MappedFile, _ log: MappedFile?, _ body: (DatabaseFile, WriteAheadLog?) throws -> Result
    ) throws -> Result {
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        let logBytes = log?.contiguousBytes(at: 0, count: log?.size ?? 0) ?? empty
        let pages = try LoggedPages(
            database: main.contiguousBytes(at: 0, count: main.size) ?? empty, log: logBytes, owner: main,
            read: { main.readDescriptor(into: $0, at: $1) })
        let outcome = Swift.Result {
            try checkMapped(main, pages)
            return try body(DatabaseFile(pages), pages.log)
        }
        guard !main.isBroken, log?.isBroken != true, pages.log?.isStill(logBytes) ?? true else {
            throw Changed()
        }
        return try outcome.get()
    }

    /// Throws ``Changed`` if the file grew beyond the mapping and has to be mapped again.
    private func checkMapped(_ main: MappedFile, _ pages: LoggedPages) throws {
        guard let log = pages.log else {
            guard try FolderListing.size(of: path) == main.size else { throw Changed() }
            return
        }
        let mapped = UInt32(clamping: main.size / pages.pageSize)
        guard mapped < pages.pageCount else { return }
        for page in (mapped + 1)...pages.pageCount where !log.has(page) { throw Changed() }
    }

    // MARK: - The files

    private var hasLog: Bool { ((try? FolderListing.size(of: path + Sidecar.log)) ?? 0) > 0 }
}
