import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The store of an overlay's written pages: in memory up to a limit, beyond it in an unnamed temporary file.
///
/// Memory comes in chunks of 1 MiB that are cut into blocks. A block that is no longer in use is used again,
/// one in memory before one in the file. A chunk of the file is mapped too. Its space on the disk is reserved
/// first, so that a full disk is an error here and never a signal at a later write.
final class BlockStore: Sendable {
    /// The memory of one block.
    ///
    /// Only the owner of the cell touches its bytes, so it is safe to pass the cell between threads.
    struct Cell: @unchecked Sendable {
        let bytes: UnsafeMutableRawPointer
        let isSpilled: Bool
    }

    static let chunkSize = 1 << 20

    private let arena: Mutex<Arena>

    /// - Parameters:
    ///   - memoryLimit: how many bytes of written pages stay in memory.
    ///   - allowance: how many may be written in all.
    init(memoryLimit: Int, allowance: Int = .max) {
        arena = Mutex(Arena(memoryLimit: memoryLimit, allowance: allowance, meter: Overlay.spillMeter))
    }

    deinit { arena.withLock { $0.close() } }

    func takeCell() throws(OverlayError) -> Cell {
        try arena.withLock { arena throws(OverlayError) in try arena.take() }
    }

    /// Raises the limit on what may be written.
    func allow(_ bytes: Int) {
        arena.withLock { arena in
            let (sum, isOver) = arena.allowance.addingReportingOverflow(bytes)
            arena.allowance = isOver ? .max : sum
        }
    }

    /// How many bytes are held, whether they are in use or not.
    var heldBytes: Int { arena.withLock { $0.memoryUsed + $0.spilled } }

    /// Sets the limit on what may be written for another database. What is spilled counts for this task.
    func begin(allowance: Int) {
        arena.withLock { arena in
            arena.allowance = allowance
            arena.meter?.add(-arena.spilled)
            arena.meter = Overlay.spillMeter
            arena.meter?.add(arena.spilled)
        }
    }

    func giveBack(_ cell: Cell) {
        arena.withLock { $0.giveBack(cell) }
    }
}

/// The chunks of a store and the free cells in them.
private struct Arena {
    let memoryLimit: Int
    var allowance: Int
    var meter: SpillMeter?
    var spilled = 0
    var chunks: [UnsafeMutableRawPointer] = []
    var memoryUsed = 0
    var free: [BlockStore.Cell] = []
    var freeSpilled: [BlockStore.Cell] = []
    /// The newest chunk. `newestUsed` bytes of it were handed out; the rest takes no memory until it is
    /// written.
    var newest: BlockStore.Cell?
    var newestUsed = 0
    var spill: SpillFile?

    mutating func take() throws(OverlayError) -> BlockStore.Cell {
        if let cell = free.popLast() { return cell }
        if let newest, newestUsed < BlockStore.chunkSize, !newest.isSpilled { return cut(newest) }
        let isOver = memoryUsed + spilled + BlockStore.chunkSize > allowance
        if !isOver, memoryUsed + BlockStore.chunkSize <= memoryLimit, let chunk = mapMemory() {
            return cut(chunk)
        }
        if let cell = freeSpilled.popLast() { return cell }
        if let newest, newestUsed < BlockStore.chunkSize { return cut(newest) }
        if isOver { throw .writtenTooMuch(bytes: allowance) }
        return cut(try mapSpill())
    }

    mutating func giveBack(_ cell: BlockStore.Cell) {
        if cell.isSpilled { freeSpilled.append(cell) } else { free.append(cell) }
    }

    func close() {
        for chunk in chunks { munmap(chunk, BlockStore.chunkSize) }
        spill?.close()
        meter?.add(-spilled)
    }

    private mutating func cut(_ chunk: BlockStore.Cell) -> BlockStore.Cell {
        let cell = BlockStore.Cell(bytes: chunk.bytes + newestUsed, isSpilled: chunk.isSpilled)
        newestUsed += Block.size
        return cell
    }

    private mutating func mapMemory() -> BlockStore.Cell? {
        let flags = MAP_PRIVATE | anonymousMapping
        guard let chunk = mmap(nil, BlockStore.chunkSize, PROT_READ | PROT_WRITE, flags, -1, 0),
            chunk != MAP_FAILED
        else { return nil }
        memoryUsed += BlockStore.chunkSize
        return add(chunk, isSpilled: false)
    }

    private mutating func mapSpill() throws(OverlayError) -> BlockStore.Cell {
        // The pages of the last chunk are in the file: the process does not need to keep them in memory as well.
        if let newest, newest.isSpilled { madvise(newest.bytes, BlockStore.chunkSize, MADV_DONTNEED) }
        var file: SpillFile
        if let spill { file = spill } else { file = try SpillFile() }
        defer { spill = file }
        let chunk = try file.mapNext(BlockStore.chunkSize)
        spilled += BlockStore.chunkSize
        meter?.add(BlockStore.chunkSize)
        return add(chunk, isSpilled: true)
    }

    private mutating func add(_ chunk: UnsafeMutableRawPointer, isSpilled: Bool) -> BlockStore.Cell {
        let cell = BlockStore.Cell(bytes: chunk, isSpilled: isSpilled)
        chunks.append(chunk)
        newest = cell
        newestUsed = 0
        return cell
    }
}
