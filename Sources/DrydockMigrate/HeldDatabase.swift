import DrydockFindings
import DrydockState
import DrydockMaintenance
import DatabaseEngine
import OverlayVFS
import Synchronization

/// A live database that nobody else writes until it is released.
///
/// Where that can be had, everybody else is locked out. Pages that differ are then written as SQLite writes them,
/// under a rollback journal.
///
/// Where others have it open in WAL mode, a transaction of its own keeps them from writing. What is committed there
/// goes through the log, which is SQLite's own affair: the backup API writes every page. It wants its destination
/// without a transaction, so that this one ends before; the backup begins with a lock of its own, and a second
/// connection tells whether anybody committed between the two
/// (https://www.sqlite.org/pragma.html#pragma_data_version).
actor HeldDatabase {
    private let engine: any Engine
    private let path: String
    private let database: any OpenDatabase
    /// nil where everybody else is locked out.
    private let watch: (any OpenDatabase)?
    nonisolated let isAlone: Bool
    private var hold: ReadLock?
    /// What was written below the connection.
    private var delta: PageDelta?
    /// Pages were written below the connection.
    private let written = StopFlag()
    /// The transaction has ended, whatever came after.
    private let committed = StopFlag()
    /// The disk has not kept it for certain.
    private let isVolatile = StopFlag()
    /// Of the writing connection, which does not count what it commits itself.
    private var version: Int64 = 0
    /// Closing a mapped file would drop the connections' locks, so that they are closed first.
    private var overlays: [Overlay] = []

    private static let forever = Duration.seconds(365 * 24 * 3600)

    private init(
        _ engine: any Engine, _ path: String, _ database: any OpenDatabase, watch: (any OpenDatabase)?
    ) {
        (self.engine, self.path, self.database, self.watch) = (engine, path, database, watch)
        isAlone = watch == nil
    }

    /// - Throws: ``EngineError`` when somebody else has the lock for longer than the timeout.
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
                // What was tried left a lock behind (PENDING) that keeps everybody from opening the file.
                try await database.close()
                database = try await engine.open(location, settings: settings)
                watch = try await engine.open(location, settings: settings)
            }
            let held = HeldDatabase(engine, path, database, watch: watch)
            if watch != nil { try await held.takeHold() }
            return held
        } catch {
            try? await watch?.close()
            try? await database.close()
            throw error
        }
    }

    /// The database as it is.
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

    /// Makes the content another, in one transaction.
    /// - Parameters:
    ///   - base: what it is.
    ///   - progress: pages done, pages in all; false takes everything back.
    /// - Returns: false when somebody committed in the moment in which nothing was locked; then nothing was written.
    /// - Throws: ``EngineError``, ``RequestError``; then the database holds what it held.
    func install(
        _ end: Image, over base: Image, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Bool
    ) async throws -> Bool {
        do {
            return try await put(end, over: base, progress)
        } catch {
            guard committed.value else { throw error }
            return true
        }
    }

    private func put(
        _ end: Image, over base: Image, _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Bool
    ) async throws -> Bool {
        if watch == nil, let delta = try PageDelta(from: base, to: end) {
            self.delta = delta
            if try await write(delta, progress) { return true }
            self.delta = nil
        }
        let source = try Overlay(end)
        let expected = try await watch?.version()
        _ = await hold?.release()
        hold = nil
        let replacement = try await database.withConnection { connection in
            let replacement = try ContentReplacement(of: connection, with: source.uri)
            try replacement.begin()
            return replacement
        }
        // Nothing is written until here, and nobody else can write from here on.
        let isStill: Bool
        do { isStill = try await watch?.version() == expected } catch { isStill = false }
        let committed = committed
        return try await database.withConnection { _ in
            defer { withExtendedLifetime(source) {} }
            guard isStill else {
                replacement.end()
                return false
            }
            try replacement.run(progress: progress)
            committed.set()
            return true
        }
    }

    /// - Returns: false where the file is not the pages, and was left alone.
    private func write(
        _ delta: PageDelta, _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Bool
    ) async throws -> Bool {
        let path = realPath(of: path)
        let (written, committed, isVolatile) = (written, committed, isVolatile)
        return try await database.withConnection { connection in
            // Frames that stayed in the log would be read in place of the pages.
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

    /// Whether the disk keeps what was installed, as far as it says.
    nonisolated var isDurable: Bool { !isVolatile.value }

    /// Reads the database again.
    /// - Returns: whether it is what was installed; nil when somebody else has written it since.
    func isInstalled(_ end: Image) async throws -> Bool? {
        if watch != nil {
            let version = version
            try await takeHold()
            guard version == self.version else { return nil }
        }
        let image = try await image()
        return try delta?.isWritten(in: image) ?? image.hasBytes(of: end, isInstalled: true)
    }

    /// - Returns: whether a reader keeps the log from being moved to the file.
    @discardableResult
    func release() async -> Bool {
        _ = await hold?.release()
        hold = nil
        let isAlone = isAlone
        // A connection below which pages were written knows nothing of them.
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

    /// Has SQLite look: should the writing have failed, it takes back what was written.
    private func settle() async {
        guard let database = try? await engine.open(.uri(fileURI(of: path)), settings: VacuumCheck.settings)
        else { return }
        try? await database.withConnection { connection in
            _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
        }
        try? await database.close()
    }

    private func takeHold() async throws {
        let seen = Mutex<Int64>(0)
        hold = try await ReadLock.take(on: database, for: Self.forever, excludesWriters: true) { connection in
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
