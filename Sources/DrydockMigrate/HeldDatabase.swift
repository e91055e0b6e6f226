import DrydockFindings
import DrydockState
import DrydockMaintenance
import DatabaseEngine
import OverlayVFS
import Synchronization

/// A live database that no other program writes until it is released.
///
/// If possible, all other programs are locked out. Pages that differ are then written as SQLite writes them, under a
/// rollback journal.
///
/// If others have it open in WAL mode, a transaction keeps them from writing. A commit then goes through the log, which
/// only SQLite writes: the backup API writes every page. It needs a destination without a transaction, so this
/// transaction ends first; the backup begins with a lock of its own, and a second connection shows whether anyone
/// committed between the two (https://www.sqlite.org/pragma.html#pragma_data_version).
actor HeldDatabase {
    private let engine: any Engine
    private let path: String
    private let database: any OpenDatabase
    /// A second connection, which sees other programs' commits; nil if all others are locked out.
    private let watch: (any OpenDatabase)?
    nonisolated let isAlone: Bool
    private var lock: ReadLock?
    /// The pages that were written directly to the file.
    private var delta: PageDelta?
    /// Set once pages are written directly to the file.
    private let written = StopFlag()
    /// Set once the transaction has ended, even if something fails afterwards.
    private let committed = StopFlag()
    /// Set if the disk may not have kept the commit.
    private let isVolatile = StopFlag()
    /// The data version of the writing connection, which does not count its own commits.
    private var version: Int64 = 0
    /// Overlays to keep until the connections are closed: closing a mapped file would drop their locks.
    private var overlays: [Overlay] = []

    private static let forever = Duration.seconds(365 * 24 * 3600)

    private init(
        _ engine: any Engine, _ path: String, _ database: any OpenDatabase, watch: (any OpenDatabase)?
    ) {
        (self.engine, self.path, self.database, self.watch) = (engine, path, database, watch)
        isAlone = watch == nil
    }

    /// - Throws: ``EngineError`` if another program keeps the lock for longer than the timeout.
    static func take(
        engine: any Engine, path: String, timeout: Duration, stop: StopFlag
    ) async throws -> HeldDatabase {
        var settings = VacuumCheck.settings
        settings.busyTimeout = timeout
        settings.interrupt = { stop.value }
        let location = DatabaseLocation.uri(fileURI(of: path))
        var database = try await engine.open(location, settings: settings)
        var watch: (any OpenDatabase)?
        do {
            if try await !LiveLock.take(on: database, timeout) {
                // The attempt left a PENDING lock, which keeps all programs from opening the file.
                try await database.close()
                database = try await engine.open(location, settings: settings)
                watch = try await engine.open(location, settings: settings)
            }
            let held = HeldDatabase(engine, path, database, watch: watch)
            if watch != nil { try await held.takeLock() }
            return held
        } catch {
            try? await watch?.close()
            try? await database.close()
            throw error
        }
    }

    /// Returns the current database.
    /// - Throws: ``OverlayError``, ``EngineError``.
    func image() async throws -> Image {
        let overlay = try Overlay(snapshot: path, holdsDescriptors: true)
        overlays.append(overlay)
        var settings = ConnectionSettings()
        settings.foreignKeys = false
        let view = try await engine.openWhole(overlay, settings: settings)
        try await view.close()
        return overlay.freeze().image
    }

    /// Replaces the content in one transaction.
    /// - Parameters:
    ///   - base: The current content.
    ///   - progress: Receives the pages done and the number of all pages; returning false rolls everything back.
    /// - Returns: False if another program committed while nothing was locked; nothing was written then.
    /// - Throws: ``EngineError``, ``RequestError``; the database is then unchanged.
    func install(
        _ end: Image, over base: Image, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Bool
    ) async throws -> Bool {
        do {
            return try await replaceContent(end, over: base, progress)
        } catch {
            guard committed.value else { throw error }
            return true
        }
    }

    private func replaceContent(
        _ end: Image, over base: Image, _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Bool
    ) async throws -> Bool {
        if watch == nil, let delta = try PageDelta(from: base, to: end) {
            self.delta = delta
            if try await write(delta, progress) { return true }
            self.delta = nil
        }
        let source = try Overlay(end)
        let expected = try await watch?.version()
        _ = await lock?.release()
        lock = nil
        let replacement = try await database.withConnection { connection in
            let replacement = try ContentReplacement(of: connection, with: source.uri)
            try replacement.begin()
            return replacement
        }
        // Nothing has been written so far, and no other program can write from here on.
        let isUnchanged: Bool
        do { isUnchanged = try await watch?.version() == expected } catch { isUnchanged = false }
        let committed = committed
        return try await database.withConnection { _ in
            defer { withExtendedLifetime(source) {} }
            guard isUnchanged else {
                replacement.end()
                return false
            }
            try replacement.run(progress: progress)
            committed.set()
            return true
        }
    }

    /// - Returns: False if the file does not have these pages; it is then unchanged.
    private func write(
        _ delta: PageDelta, _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Bool
    ) async throws -> Bool {
        let path = realPath(of: path)
        let (written, committed, isVolatile) = (written, committed, isVolatile)
        return try await database.withConnection { connection in
            // Frames that stay in the log would be read in place of the pages.
            guard try !LiveLock.checkpoint(connection) else { return false }
            let file = try MainFile(of: connection)
            guard try file.size() == delta.before.byteCount else { return false }
            guard progress(0, delta.pages.count) else { throw EngineError.interrupted }
            try RollbackJournal.syncLog(of: path)
            let journal = try RollbackJournal(of: path, delta: delta)
            written.set()
            try delta.write(to: file) { _ = progress($0, delta.pages.count) }
            if try !journal.commit(didEnd: { committed.set() }) { isVolatile.set() }
            return true
        }
    }

    /// Whether the disk keeps what was installed, as far as it reports.
    nonisolated var isDurable: Bool { !isVolatile.value }

    /// Reads the database again.
    /// - Returns: Whether it is what was installed; nil if another program has written it since.
    func isInstalled(_ end: Image) async throws -> Bool? {
        if watch != nil {
            let version = version
            try await takeLock()
            guard version == self.version else { return nil }
        }
        let image = try await image()
        return try delta?.isWritten(in: image) ?? image.hasBytes(of: end, isInstalled: true)
    }

    /// - Returns: Whether a reader keeps the log from being moved to the file.
    @discardableResult
    func release() async -> Bool {
        _ = await lock?.release()
        lock = nil
        let isAlone = isAlone
        // This connection does not know of pages that were written directly to the file.
        let isBusy =
            written.value
            ? false
            : try? await database.withConnection { connection in
                guard isAlone else { return try LiveLock.checkpoint(connection) }
                try LiveLock.release(connection)
                return false
            }
        try? await watch?.close()
        try? await database.close()
        overlays = []
        if written.value { await settle() }
        return isBusy ?? false
    }

    /// Opens the database with SQLite, which rolls back what was written if the writing failed.
    private func settle() async {
        guard let database = try? await engine.open(.uri(fileURI(of: path)), settings: VacuumCheck.settings)
        else { return }
        try? await database.withConnection { connection in
            _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
        }
        try? await database.close()
    }

    private func takeLock() async throws {
        let seen = Mutex<Int64>(0)
        lock = try await ReadLock.take(on: database, for: Self.forever, excludesWriters: true) { connection in
            let version = try LiveLock.version(connection)
            seen.withLock { $0 = version }
        }
        version = seen.withLock { $0 }
    }
}

extension OpenDatabase {
    fileprivate func version() async throws -> Int64 {
        try await withConnection { try LiveLock.version($0) }
    }
}
