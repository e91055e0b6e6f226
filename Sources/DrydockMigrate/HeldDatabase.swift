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
/// If others have it open in WAL mode, a transaction keeps them from writing. Pages that differ are then appended to the
/// log as SQLite appends them (``LogWriter``).
///
/// If the log is not of the version that can be written so, the backup API writes every page. It needs a destination
/// without a transaction, so this transaction ends first; the backup begins with a lock of its own, and a second
/// connection shows whether anyone committed between the two (https://www.sqlite.org/pragma.html#pragma_data_version).
actor HeldDatabase {
    /// What other programs can do.
    private enum Others {
        case lockedOut
        /// They have the database open in WAL mode. A second connection sees their commits.
        case reading(watch: any OpenDatabase)
    }

    /// A transaction that keeps others from writing.
    private struct Transaction {
        var lock: ReadLock
        /// The data version at its start, as this connection sees it, which does not count its own commits.
        var version: Int64
    }

    /// What has become of the content.
    private enum Content: Sendable {
        case unchanged
        /// Pages are being written directly to the file. If that fails, SQLite rolls them back from the journal.
        case writing(PageDelta)
        /// The pages are written and the transaction has ended. Unless it is durable, the disk may not have kept the
        /// end.
        case written(PageDelta, isDurable: Bool)
        /// The pages are in the log, and the disk has them. The transaction that keeps others from writing goes on.
        case logged(PageDelta)
        /// The backup API has committed; `since` is the data version at which others could write again.
        case replaced(since: Int64?)

        var isInstalled: Bool {
            switch self {
            case .unchanged, .writing: false
            case .written, .logged, .replaced: true
            }
        }

        /// Whether the file has pages that SQLite would roll back, or has rolled back.
        var isBehindConnection: Bool {
            switch self {
            case .unchanged, .logged, .replaced: false
            case .writing, .written: true
            }
        }
    }

    /// What came of an installation.
    enum Installation: Sendable {
        /// Another program committed while nothing was locked; nothing was written.
        case overtaken
        /// The content is the new one, whatever error came after the commit. Unless it is durable, a power loss may
        /// still undo it.
        case installed(isDurable: Bool, errorAfterwards: (any Error)?)
    }

    /// What was not done when the database was released.
    enum ReleaseFault: Sendable {
        /// A reader keeps the log from being moved to the file.
        case logIsRead
        /// The lock or the connection did not end in order.
        case notClosed(any Error)
        /// Pages of an installation that failed are still in the file, and the journal has their old content.
        case notRolledBack(any Error)
    }

    private let engine: any Engine
    private let path: String
    private let database: any OpenDatabase
    private let others: Others
    /// How long to wait for other programs' locks.
    private let timeout: Duration
    /// Whether pages may be appended to the log; false for tests of what is done where they may not.
    private let appends: Bool
    private var transaction: Transaction?
    /// Set by the closures that write, so that it is known even if something fails afterwards.
    private let content = Mutex(Content.unchanged)
    /// Overlays to keep until the connections are closed: closing a mapped file would drop their locks.
    private var overlays: [Overlay] = []

    private static let forever = Duration.seconds(365 * 24 * 3600)

    private init(
        _ engine: any Engine, _ path: String, _ database: any OpenDatabase, _ others: Others,
        timeout: Duration, appends: Bool
    ) {
        (self.engine, self.path, self.database, self.others) = (engine, path, database, others)
        (self.timeout, self.appends) = (timeout, appends)
    }

    /// Whether all other programs are locked out.
    nonisolated var isAlone: Bool { watch == nil }

    private nonisolated var watch: (any OpenDatabase)? {
        guard case .reading(let watch) = others else { return nil }
        return watch
    }

    /// Locks a database.
    /// - Throws: ``EngineError`` if another program keeps the lock for longer than the timeout.
    static func take(
        engine: any Engine, path: String, timeout: Duration, stop: StopFlag, appends: Bool = true
    ) async throws -> HeldDatabase {
        let held = try await open(engine: engine, path: path, timeout: timeout, stop: stop, appends: appends)
        do { try await held.excludeWriters() } catch {
            _ = await held.release()
            throw error
        }
        return held
    }

    /// Opens a database, and locks all other programs out unless they have it open in WAL mode: then they can write until
    /// ``excludeWriters(patience:)``.
    /// - Parameter isShared: Whether not to lock others out, since they write now and then; only for WAL mode.
    /// - Throws: ``EngineError`` if another program keeps the lock for longer than the timeout.
    static func open(
        engine: any Engine, path: String, timeout: Duration, stop: StopFlag, appends: Bool = true,
        isShared: Bool = false
    ) async throws -> HeldDatabase {
        var settings = VacuumCheck.settings
        settings.busyTimeout = timeout
        settings.interrupt = { stop.value }
        let location = DatabaseLocation.uri(fileURI(of: path))
        var database = try await engine.open(location, settings: settings)
        var watch: (any OpenDatabase)?
        do {
            if isShared {
                watch = try await engine.open(location, settings: settings)
            } else if try await !LiveLock.take(on: database, timeout) {
                // The attempt left a PENDING lock, which keeps all programs from opening the file.
                try await database.close()
                database = try await engine.open(location, settings: settings)
                watch = try await engine.open(location, settings: settings)
            }
            let others = watch.map { Others.reading(watch: $0) } ?? .lockedOut
            return HeldDatabase(engine, path, database, others, timeout: timeout, appends: appends)
        } catch {
            try? await watch?.close()
            try? await database.close()
            throw error
        }
    }

    /// Whether no other program can write.
    var excludesWriters: Bool { isAlone || transaction != nil }

    /// Keeps other programs from writing, if they still can.
    /// - Parameter patience: How long to wait for another program's lock; nil for the timeout.
    /// - Throws: ``EngineError`` if another program keeps the lock for longer.
    func excludeWriters(patience: Duration? = nil) async throws {
        guard !excludesWriters else { return }
        guard let patience else { return _ = try await begin() }
        let timeout = timeout
        try await database.withConnection { try $0.wait(for: patience) }
        do {
            try await begin().lock.perform { try $0.wait(for: timeout) }
        } catch {
            if transaction == nil { try await database.withConnection { try $0.wait(for: timeout) } }
            throw error
        }
    }

    /// Begins a read transaction, which keeps what others commit from now on in the log.
    /// - Returns: Nil if all others are locked out.
    func pinLog() async throws -> ReadLock? {
        guard let watch else { return nil }
        return try await ReadLock.take(on: watch, for: Self.forever)
    }

    /// Returns the current database.
    /// - Throws: ``OverlayError``, ``EngineError``.
    func image() async throws -> Image {
        for _ in 1..<LockWaits.logReads {
            // A log that starts over while it is read would be read in part.
            let log = LogHead(path)
            let image = try await readImage()
            if log == LogHead(path) { return image }
        }
        return try await readImage()
    }

    private func readImage() async throws -> Image {
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
    /// - Throws: ``EngineError``, ``OverlayError``, ``RequestError``; SQLite then has the old content.
    func install(
        _ end: Image, over base: Image, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Bool
    ) async throws -> Installation {
        var errorAfterwards: (any Error)?
        do {
            if let delta = try isAlone || appends ? PageDelta(from: base, to: end) : nil {
                if isAlone { try await write(delta, progress) } else { try await append(delta, progress) }
            }
            if !content.withLock({ $0.isInstalled }) { try await replace(with: end, progress) }
        } catch {
            guard content.withLock({ $0.isInstalled }) else { throw error }
            errorAfterwards = error
        }
        switch content.withLock({ $0 }) {
        case .unchanged, .writing: return .overtaken
        case .written(_, let isDurable):
            return .installed(isDurable: isDurable, errorAfterwards: errorAfterwards)
        case .logged, .replaced: return .installed(isDurable: true, errorAfterwards: errorAfterwards)
        }
    }

    /// Writes the pages directly to the file, or nothing if the file does not have the old ones.
    private func write(
        _ delta: PageDelta, _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Bool
    ) async throws {
        let path = realPath(of: path)
        try await database.withConnection { [self] connection in
            // Frames that stay in the log would be read in place of the pages.
            guard try !LiveLock.checkpoint(connection) else { return }
            let file = try MainFile(of: connection)
            guard try file.size() == delta.before.byteCount else { return }
            guard progress(0, delta.pages.count) else { throw EngineError.interrupted }
            try RollbackJournal.syncLog(of: path)
            let journal = try RollbackJournal(of: path, delta: delta)
            set(.writing(delta))
            try delta.write(to: file) { _ = progress($0, delta.pages.count) }
            let isSynced = try journal.commit(didEnd: { set(.written(delta, isDurable: true)) })
            if !isSynced { set(.written(delta, isDurable: false)) }
        }
    }

    /// Appends the pages to the log as one commit, or does nothing if only SQLite may write the log.
    private func append(
        _ delta: PageDelta, _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Bool
    ) async throws {
        guard let lock = transaction?.lock else { return }
        try await lock.perform { [self] connection in
            let pageCount = delta.before.byteCount / delta.pageSize
            guard
                var log = try LogWriter(of: connection, pageSize: delta.pageSize, pageCount: pageCount)
            else { return }
            try delta.append(to: &log) { progress($0, delta.pages.count) }
            try log.commit()
            set(.logged(delta))
        }
    }

    /// Writes every page with the backup API, or nothing if another program commits first.
    private func replace(
        with end: Image, _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Bool
    ) async throws {
        let source = try Overlay(end)
        let expected = try await watch?.version()
        let version = transaction?.version
        await endTransaction()
        let replacement = try await database.withConnection { connection in
            let replacement = try ContentReplacement(of: connection, with: source.uri)
            try replacement.begin()
            return replacement
        }
        // Nothing has been written so far, and no other program can write from here on.
        let isUnchanged: Result<Bool, any Error>
        do { isUnchanged = .success(try await watch?.version() == expected) } catch {
            isUnchanged = .failure(error)
        }
        try await database.withConnection { [self] _ in
            defer {
                replacement.end()
                withExtendedLifetime(source) {}
            }
            guard try isUnchanged.get() else { return }
            try replacement.run(progress: progress)
            set(.replaced(since: version))
        }
    }

    private nonisolated func set(_ new: Content) {
        content.withLock { $0 = new }
    }

    /// Reads the database again.
    /// - Returns: Whether it is what was installed; nil if another program has written it since.
    func isInstalled(_ end: Image) async throws -> Bool? {
        let content = content.withLock { $0 }
        if case .replaced(let version?) = content {
            guard try await begin().version == version else { return nil }
        }
        let image = try await image()
        switch content {
        case .written(let delta, _), .logged(let delta): return try delta.isWritten(in: image)
        case .unchanged, .writing, .replaced: return try image.hasBytes(of: end, isInstalled: true)
        }
    }

    /// Lets the others write again, and closes the database.
    func release() async -> [ReleaseFault] {
        await endTransaction()
        var faults: [ReleaseFault] = []
        let content = content.withLock { $0 }
        if !content.isBehindConnection {
            do {
                // The connection that held the lock does not know of pages that were appended to the log.
                let isRead = try await (watch ?? database).withConnection { [isAlone] connection in
                    guard isAlone else { return try LiveLock.checkpointBesideOthers(connection) }
                    try LiveLock.release(connection)
                    return false
                }
                if isRead { faults.append(.logIsRead) }
            } catch {
                faults.append(.notClosed(error))
            }
        }
        for database in [watch, database].compactMap(\.self) {
            do { try await database.close() } catch { faults.append(.notClosed(error)) }
        }
        for overlay in overlays { overlay.closeDescriptors() }
        overlays = []
        guard content.isBehindConnection else { return faults }
        do { try await settle() } catch {
            faults.append(content.isInstalled ? .notClosed(error) : .notRolledBack(error))
        }
        return faults
    }

    /// Opens the database with SQLite, which rolls back what was written if the writing failed.
    private func settle() async throws {
        let database = try await engine.open(.uri(fileURI(of: path)), settings: VacuumCheck.settings)
        do {
            try await database.withConnection { connection in
                _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
            }
        } catch {
            try? await database.close()
            throw error
        }
        try await database.close()
    }

    private func begin() async throws -> Transaction {
        let seen = Mutex<Int64>(0)
        let lock = try await ReadLock.take(on: database, for: Self.forever, excludesWriters: true) {
            let version = try LiveLock.version($0)
            seen.withLock { $0 = version }
        }
        let transaction = Transaction(lock: lock, version: seen.withLock { $0 })
        self.transaction = transaction
        return transaction
    }

    private func endTransaction() async {
        _ = await transaction?.lock.release()
        transaction = nil
    }
}

extension Connection {
    /// Sets how long to wait for other programs' locks.
    fileprivate func wait(for timeout: Duration) throws {
        try execute("PRAGMA busy_timeout = \(Int(timeout / .milliseconds(1)))")
    }
}

extension OpenDatabase {
    fileprivate func version() async throws -> Int64 {
        try await withConnection { try LiveLock.version($0) }
    }
}
