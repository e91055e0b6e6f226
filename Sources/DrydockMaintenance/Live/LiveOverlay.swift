import DrydockFindings
import DrydockState
import DrydockReplay
import DatabaseEngine
import Foundation
import OverlayVFS
import Synchronization

/// A database that other programs may have open, read slice by slice through an overlay.
///
/// The files are mapped inside a read transaction of a real connection, which lasts no longer than a slice. SQL runs on
/// the overlay, which may be written. A slice that outlasts the transaction goes on without it, and is valid if nobody
/// wrote meanwhile. There is no transaction if a connection would create files, since no program has the write-ahead
/// log open, or could not read, since a journal is hot; the files are then checked again afterwards.
package actor LiveOverlay {
    /// An error that says that another program wrote while a slice outlasted its transaction.
    package struct Outlasted: Error {
        package init() {}
    }

    /// What a slice can read.
    package struct Slice {
        package let connection: any Connection
        /// The database file, with its log or journal applied.
        package let image: Image
        /// What has been computed from these bytes.
        package let memo: Memo
        /// What has been computed from the schema alone, whichever database has it; nil where it is of this one only.
        package let schemaMemo: Memo?
    }

    private struct Opened {
        /// The connection that takes the lock; nil if no lock can be taken.
        var keeper: FileHold?
        var lease: ConnectionPool.Lease
        var watch: ChangeWatch
        var memo = Memo()
        /// The files before they were mapped.
        let stamps: FileStamps
        /// Whether a later write would change the files' times: they were not written just before.
        let isTimely: Bool

        /// Whether all that was mapped still has its bytes. The log may have grown, which this image does not show.
        var isUnchanged: Bool { isTimely && (try? lease.image.checkUnchanged()) != nil }

        /// Whether a transaction that begins now keeps the mapped bytes. One that sees a longer log than the image does
        /// lets a checkpoint write into the file what the image does not have.
        func isKept(at path: String) -> Bool { isTimely && stamps == FileStamps(path) }
    }

    private let path: String
    private let connections: ConnectionPool
    private let limit: Duration
    private let isStopped: @Sendable () -> Bool
    private var opened: Opened?

    /// How often a slice starts again because the log was restarted.
    private static let attempts = 4
    /// How long to wait for a writer before going on without a transaction.
    private static let patience = Duration.milliseconds(500)

    /// - Parameters:
    ///   - connections: what opens the overlays; it may serve other databases too.
    ///   - limit: How long a read transaction may last.
    ///   - isStopped: Polled; `true` interrupts SQLite.
    package init(
        path: String, connections: ConnectionPool, limit: Duration, isStopped: @escaping @Sendable () -> Bool
    ) {
        (self.path, self.connections, self.limit) = (realPath(of: path), connections, limit)
        self.isStopped = isStopped
    }

    /// Creates one with a connection of its own.
    package init(
        engine: any Engine, path: String, settings: ConnectionSettings, limit: Duration,
        isStopped: @escaping @Sendable () -> Bool
    ) {
        self.init(
            path: path, connections: ConnectionPool(engine: engine, settings: settings, limit: 0),
            limit: limit, isStopped: isStopped)
    }

    /// Runs a closure on the database as of one moment.
    /// - Throws: ``Outlasted``, ``OverlayError``, ``EngineError``, and what the closure throws.
    package func slice<Result: Sendable>(
        _ body: @escaping @Sendable (Slice) throws -> Result
    ) async throws -> Result {
        let (opened, lock) = try await open()
        opened.watch.begin(lock)
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(
                try await opened.lease.database.withConnection {
                    try body(
                        Slice(
                            connection: $0, image: opened.lease.image, memo: opened.memo,
                            schemaMemo: opened.lease.schemaMemo))
                })
        } catch {
            outcome = .failure(error)
        }
        let wasHeld = lock?.release() ?? false
        if wasHeld || opened.isUnchanged { return try outcome.get() }
        await close(isSound: false)
        throw Outlasted()
    }

    package func close() async { await close(isSound: true) }

    /// - Parameter isSound: whether no other program wrote while the files were read.
    private func close(isSound: Bool) async {
        guard let old = opened else { return }
        opened = nil
        try? await connections.giveBack(old.lease, isSound: isSound)
        old.keeper?.close()
        // A thread that still has the image would otherwise close them later, and drop the next lock.
        old.lease.image.closeDescriptors()
    }

    // MARK: - Opening

    private func open() async throws -> (Opened, FileHold?) {
        if let opened {
            let lock = await lock(opened.keeper)
            let isValid =
                lock != nil ? opened.isKept(at: path) : opened.keeper == nil && opened.isUnchanged
            if isValid { return (opened, lock) }
            _ = lock?.release()
            await close()
        }
        for _ in 0..<Self.attempts {
            if let new = try await reopen() { return new }
        }
        throw Outlasted()
    }

    /// - Returns: Nil if the log was restarted meanwhile, or the files were written while no lock was held.
    private func reopen() async throws -> (Opened, FileHold?)? {
        let keeper = LiveState(resolved: path).isLockable ? try? FileHold(path: path) : nil
        let lock = await lock(keeper)
        if lock == nil {
            keeper?.close()
            try await settle()
        }
        let (log, stamp) = (LogHead(path), FileStamps(path))
        var image: Image?
        do {
            let isTimely = stamp.isTimely
            // Whoever could take the lock has seen that the journal is not hot.
            let files = try Image(
                snapshot: path, holdsDescriptors: lock != nil, ignoresJournal: lock != nil)
            image = files
            let new = try await map(files, lock, stamp, isTimely)
            opened = new
            // The log's content is now in the overlay's memory, and the transaction keeps the file unchanged.
            if log == LogHead(path), lock?.isHeld == true || isTimely && stamp == FileStamps(path) {
                return (new, lock)
            }
            _ = lock?.release()
            await close(isSound: false)
            return nil
        } catch {
            let wasHeld = lock?.release() ?? false
            lock?.close()
            image?.closeDescriptors()
            // The watch has seen that another program wrote.
            if (error as? EngineError)?.isInterrupt == true, !isStopped() { return nil }
            // A torn read looks like damage.
            guard log == LogHead(path), wasHeld || stamp == FileStamps(path) else { return nil }
            throw error
        }
    }

    /// Waits until another write would change the files' times: two writes within one tick of the clock look like one.
    private func settle() async throws {
        for _ in 0..<Self.attempts where !FileStamps(path).isTimely {
            try await Task.sleep(for: FileStamps.tick)
        }
    }

    private func lock(_ keeper: FileHold?) async -> FileHold? {
        guard let keeper, (try? await keeper.take(for: limit, patience: Self.patience)) != nil else {
            return nil
        }
        return keeper
    }

    private func map(
        _ image: Image, _ keeper: FileHold?, _ stamps: FileStamps, _ isTimely: Bool
    ) async throws -> Opened {
        let watch = ChangeWatch(image, isStopped)
        watch.begin(keeper)
        let lease = try await connections.lease(image) { watch.isLost }
        return Opened(keeper: keeper, lease: lease, watch: watch, stamps: stamps, isTimely: isTimely)
    }
}

extension LiveOverlay {
    /// Reads a database as of one moment. Nothing is written, and no file is made beside it.
    /// - Throws: ``RequestError`` if it cannot be read or is written all the time, ``EngineError``, and what the closure
    ///   throws.
    package static func reading<Result: Sendable>(
        _ path: String, on engine: any Engine,
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        for limit in [Duration.seconds(1), .seconds(60)] {
            let live = LiveOverlay(
                engine: engine, path: path, settings: ConnectionSettings(), limit: limit, isStopped: { false }
            )
            do {
                let result = try await live.slice { try body($0.connection) }
                await live.close()
                return result
            } catch is Outlasted {
                await live.close()
            } catch {
                await live.close()
                guard let error = error as? OverlayError else { throw error }
                throw RequestError(.databaseUnreadable, "'\(path)' cannot be read: \(error)")
            }
        }
        throw RequestError(
            .databaseBusy,
            "'\(path)' is written constantly, so it could not be read in a consistent state; try again")
    }
}

/// Reports when what is being read is no longer valid.
private final class ChangeWatch: Sendable {
    private let image: Image
    private let isStopped: @Sendable () -> Bool
    private let state = Mutex<(lock: FileHold?, next: ContinuousClock.Instant)>((nil, .now))

    private static let interval = Duration.milliseconds(50)

    init(_ image: Image, _ isStopped: @escaping @Sendable () -> Bool) {
        (self.image, self.isStopped) = (image, isStopped)
    }

    func begin(_ lock: FileHold?) { state.withLock { $0 = (lock, .now + Self.interval) } }

    var isLost: Bool {
        if isStopped() { return true }
        let isDue = state.withLock { state in
            guard ContinuousClock.now >= state.next, state.lock?.isHeld != true else { return false }
            state.next = .now + Self.interval
            return true
        }
        return isDue && (try? image.checkUnchanged()) == nil
    }
}
