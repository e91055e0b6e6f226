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
/// Each state is a layer over the file of the copy, with the blocks that differ. The first is found by comparing all
/// bytes. For the next ones that is not needed where others have the database open in WAL mode: a read transaction
/// begins before the first and ends when others can no longer write. As long as it lasts, whatever they commit stays in
/// the log, and a checkpoint moves no page to the file that is not in it
/// (https://www.sqlite.org/wal.html#concurrency):
///
/// - if the transaction reads the log, the log cannot start over;
/// - if all of the log was in the file when it began, the log may start over once, and no page of it can be moved.
///
/// So only pages can differ that are in the log as it is, or were in it when it was read before.
actor CatchUp {
    private let held: HeldDatabase
    /// What the database held when it was last looked at.
    private var known: Image
    /// The read transaction, with the data version at its beginning.
    private var pin: (lock: ReadLock, version: Int64)?
    /// The blocks that were in the log; nil as long as it is not known that no others have changed.
    private var logged: Set<UInt32>?
    private var isUnchanged = false

    init(_ held: HeldDatabase, from copy: Image) { (self.held, known) = (held, copy) }

    /// Returns what the database holds now; nil if that is what it held when it was last looked at.
    /// - Throws: ``OverlayError``, ``EngineError``.
    func advance() async throws -> Image? {
        if isUnchanged { return nil }
        if pin == nil, logged == nil { pin = try await held.pinLog() }
        let live = try await held.image()
        let written = live.writtenBlocks
        let later = try known.updated(to: live, in: logged.map(written.union))
        if pin != nil || logged != nil { logged = (logged ?? []).union(written) }
        if let later { known = later }
        return later
    }

    /// Keeps others from writing.
    /// - Throws: ``EngineError`` if another program keeps the lock for longer than the timeout.
    func lock() async throws {
        try await held.excludeWriters()
        guard let pin else { return }
        await end()
        // Nothing was committed since the beginning, and so nothing since the last look.
        isUnchanged = try await held.version() == pin.version
    }

    /// Ends the read transaction, if it lasts.
    func end() async {
        _ = await pin?.lock.release()
        pin = nil
    }
}
