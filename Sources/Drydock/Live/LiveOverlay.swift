import DatabaseEngine
import OverlayVFS
import Synchronization

/// A database that other programs may have open, as an overlay shows it, slice by slice.
///
/// The files are mapped inside a read transaction of a real connection, which lasts no longer than a slice;
/// what SQLite is asked, it is asked on the overlay, which may be written. What takes longer than the
/// transaction goes on without it, and counts when nobody wrote meanwhile. Where a connection would make
/// files, since a write-ahead log is open nowhere, or could not read, since a journal is hot, there is no
/// transaction, and the files are looked at again afterwards.
actor LiveOverlay {
    /// Somebody wrote while a slice was read longer than its transaction may last.
    struct Outlasted: Error {}

    /// What a slice sees.
    struct Slice {
        let connection: any Connection
        /// The database file, its log or journal taken in.
        let image: Image
        /// What was found out about these bytes.
        let memo: Memo
    }

    /// Something that is kept as long as the bytes that it was made of. Nothing else may keep these: their
    /// descriptors are closed with them, and must be before another lock is taken.
    final class Memo: Sendable {
        private let value = Mutex<(any Sendable)?>(nil)

        func value<Value: Sendable>(_ make: () throws -> Value) rethrows -> Value {
            if let known = value.withLock({ $0 }) as? Value { return known }
            let new = try make()
            value.withLock { $0 = new }
            return new
        }
    }

    private struct Opened {
        /// Holds the lock; nil where there is none to be had.
        var keeper: (any OpenDatabase)?
        var overlay: Overlay
        var database: any OpenDatabase
        var image: Image
        var watch: ChangeWatch
        var memo = Memo()
    }

    private let engine: any Engine
    private let path: String
    private let settings: ConnectionSettings
    private let limit: Duration
    private let isStopped: @Sendable () -> Bool
    private var opened: Opened?

    /// How often a slice begins anew because a log did.
    private static let attempts = 4
    /// How long to wait for a writer before going on without a transaction.
    private static let patience = Duration.milliseconds(500)

    /// - Parameters:
    ///   - limit: how long a read transaction may last.
    ///   - isStopped: polled; `true` interrupts what SQLite does.
    init(
        engine: any Engine, path: String, settings: ConnectionSettings, limit: Duration,
        isStopped: @escaping @Sendable () -> Bool
    ) {
        (self.engine, self.path, self.settings, self.limit) = (engine, path, settings, limit)
        self.isStopped = isStopped
    }

    /// Runs a closure on the database as one moment shows it.
    /// - Throws: ``Outlasted``, ``OverlayError``, ``EngineError``, and what the closure throws.
    func slice<Result: Sendable>(
        _ body: @escaping @Sendable (Slice) throws -> Result
    ) async throws -> Result {
        for _ in 0..<Self.attempts {
            let (opened, lock) = try await open()
            let log = LogHead(path)
            opened.watch.begin(lock)
            let outcome: Swift.Result<Result, any Error>
            do {
                outcome = .success(
                    try await opened.database.withConnection {
                        try body(Slice(connection: $0, image: opened.image, memo: opened.memo))
                    })
            } catch {
                outcome = .failure(error)
            }
            let wasHeld = await lock?.release() ?? false
            if wasHeld, log == LogHead(path) { return try outcome.get() }
            if (try? opened.overlay.checkUnchanged()) != nil { return try outcome.get() }
            await close()
            if !wasHeld { throw Outlasted() }
        }
        throw Outlasted()
    }

    func close() async {
        guard let old = opened else { return }
        opened = nil
        try? await old.database.close()
        // The connection first: closing a mapped file's descriptor would drop its locks.
        try? await old.keeper?.close()
        withExtendedLifetime((old.overlay, old.image)) {}
    }

    // MARK: - Opening

    private func open() async throws -> (Opened, ReadLock?) {
        if let opened {
            let lock = await lock(opened.keeper)
            if (lock != nil || opened.keeper == nil) && (try? opened.overlay.checkUnchanged()) != nil {
                return (opened, lock)
            }
            _ = await lock?.release()
            await close()
        }
        let keeper =
            LiveState(path).isLockable ? try? await engine.open(.live(path: path), settings: reading) : nil
        let lock = await lock(keeper)
        do {
            let new = try await map(lock == nil ? nil : keeper)
            if lock == nil { try? await keeper?.close() }
            opened = new
            return (new, lock)
        } catch {
            _ = await lock?.release()
            try? await keeper?.close()
            throw error
        }
    }

    private var reading: ConnectionSettings {
        var settings = ConnectionSettings()
        settings.readOnly = true
        settings.busyTimeout = Self.patience
        return settings
    }

    private func lock(_ keeper: (any OpenDatabase)?) async -> ReadLock? {
        guard let keeper else { return nil }
        return try? await ReadLock.take(on: keeper, for: limit)
    }

    private func map(_ keeper: (any OpenDatabase)?) async throws -> Opened {
        let overlay = try Overlay(snapshot: path, holdsDescriptors: keeper != nil)
        let watch = ChangeWatch(overlay, isStopped)
        var settings = settings
        settings.foreignKeys = false
        settings.interrupt = { watch.isLost }
        let database = try await engine.open(overlay, settings: settings)
        do {
            try await database.withConnection { connection in
                _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
                try connection.checkpoint()
            }
        } catch {
            try? await database.close()
            throw error
        }
        return Opened(
            keeper: keeper, overlay: overlay, database: database, image: overlay.freeze().image, watch: watch)
    }
}

/// Says when what is being read can no longer count.
private final class ChangeWatch: Sendable {
    private let overlay: Overlay
    private let isStopped: @Sendable () -> Bool
    private let state = Mutex<(lock: ReadLock?, next: ContinuousClock.Instant)>((nil, .now))

    private static let interval = Duration.milliseconds(50)

    init(_ overlay: Overlay, _ isStopped: @escaping @Sendable () -> Bool) {
        (self.overlay, self.isStopped) = (overlay, isStopped)
    }

    func begin(_ lock: ReadLock?) { state.withLock { $0 = (lock, .now + Self.interval) } }

    var isLost: Bool {
        if isStopped() { return true }
        let isDue = state.withLock { state in
            guard ContinuousClock.now >= state.next, state.lock?.isHeld != true else { return false }
            state.next = .now + Self.interval
            return true
        }
        return isDue && (try? overlay.checkUnchanged()) == nil
    }
}

/// The header of a write-ahead log, which is another one when the log begins anew. No lock is on that file, so
/// that it may be opened and closed.
private struct LogHead: Equatable {
    private let bytes: [UInt8]

    init(_ path: String) { bytes = (try? FolderListing.contents(of: path + "-wal", limit: 32)) ?? [] }
}
