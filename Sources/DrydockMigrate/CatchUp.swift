import DatabaseEngine
import DrydockMaintenance
import OverlayVFS

/// The way from the copy of a live database to what the database holds when it is locked.
///
///     let catchUp = CatchUp(held, from: copied)
///     if let later = try await catchUp.advance() { ... }    // others may commit meanwhile
///     try await catchUp.lock()
///     if let last = try await catchUp.advance() { ... }     // nobody can
///
/// Each state is a layer over the file of the copy, with the blocks that differ. The last look, under the lock, finds them by
/// comparing all bytes, so that what is installed does not rest on the looks before it. Those do the same, unless a read
/// transaction has lasted since the one before. What others commit in WAL mode meanwhile stays in the log, and a checkpoint
/// moves no page to the file that is not in it (https://www.sqlite.org/wal.html#concurrency):
///
/// - if the transaction reads the log, the log cannot start over;
/// - if all of the log was in the file when it began, the log may start over once, and no page of it can be moved.
///
/// So only pages can differ that are in the log as it is, or were in it when it was read before.
actor CatchUp {
    private let held: HeldDatabase
    /// What the database held when it was last looked at.
    private var known: Image
    /// The read transaction.
    private var pin: ReadLock?
    /// The blocks that were in the log since the read transaction began; nil if all bytes are to be compared.
    private var logged: Set<UInt32>?
    /// What was seen just before the lock, and not returned yet.
    private var pending: Image?
    /// Ends the read transaction.
    private var timer: Task<Void, any Error>?

    init(_ held: HeldDatabase, from copy: Image) { (self.held, known) = (held, copy) }

    /// Returns the database's current content; nil if it is unchanged since it was last read.
    /// - Throws: ``OverlayError``, ``EngineError``.
    func advance() async throws -> Image? {
        defer { pending = nil }
        timer?.cancel()
        var live = try await read()
        // The timer may just have ended the transaction in which this was read.
        while live == nil { live = try await read() }
        guard let live else { return nil }
        let written = live.writtenBlocks
        let isLast = await held.excludesWriters
        let later = try known.updated(to: live, in: isLast ? nil : logged.map(written.union))
        if let later { known = later }
        guard pin != nil, !isLast else { return later ?? pending }
        logged = (logged ?? []).union(written)
        timer = Task { [weak self] in
            try await Task.sleep(for: LockWaits.catchUp)
            await self?.end()
        }
        return later
    }

    /// Reads the database.
    /// - Returns: Nil if others could write all of the time.
    private func read() async throws -> Image? {
        if await held.excludesWriters { return try await held.image() }
        if pin == nil { pin = try await held.pinLog() }
        let live = try await held.image()
        return pin == nil ? nil : live
    }

    /// Keeps others from writing.
    /// - Throws: ``EngineError`` if another program keeps the lock for longer than the timeout.
    func lock() async throws {
        // Others need not wait for all bytes to be compared.
        if pin == nil, await !held.excludesWriters { pending = try await advance() }
        guard pin != nil else { return try await held.excludeWriters() }
        do {
            try await held.excludeWriters(patience: LockWaits.catchUpLock)
        } catch let error as EngineError where error.code == .busy {
            await end()
            return try await held.excludeWriters()
        }
        timer?.cancel()
    }

    /// Ends the read transaction, if it lasts; all bytes are then compared.
    func end() async {
        timer?.cancel()
        let lock = pin
        (pin, logged) = (nil, nil)
        _ = await lock?.release()
    }
}
