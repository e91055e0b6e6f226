import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The store of an overlay's written pages: in memory up to a limit, beyond it in an unnamed temporary file.
///
/// Memory comes in chunks that are cut into blocks. A block that is no longer in use is used again, one in memory before
/// one in the file. A chunk of the file is filled in memory, written in large pieces, and then mapped at the same address:
/// to fill it through the mapping takes longer, since each page is a fault. Its space on the disk is reserved first, so
/// that a full disk is an error here and never a signal at a later write.
final class BlockStore: Sendable {
    /// The memory of one block.
    ///
    /// Only the owner of the cell touches its bytes, so it is safe to pass the cell between threads.
    struct Cell: @unchecked Sendable {
        let bytes: UnsafeMutableRawPointer
        let isSpilled: Bool
    }

    /// The size of a chunk in memory, in bytes.
    static let chunkSize = 1 << 20
    /// The size of a chunk of the file, in bytes: that of a huge page on most machines.
    static let spillChunkSize = 2 << 20

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

    /// Runs a closure that writes to a cell, while its chunk does not move to the file.
    func writing<E: Error>(to cell: Cell, _ body: () throws(E) -> Void) throws(E) {
        guard cell.isSpilled else { return try body() }
        try arena.withLock { _ throws(E) in try body() }
    }
}

/// The chunks of a store and the free cells in them.
private struct Arena {
    /// A chunk that is cut into blocks; what is left of it takes no memory until it is written.
    struct Chunk {
        let bytes: UnsafeMutableRawBufferPointer
        let isSpilled: Bool
        private var used = 0

        init(_ bytes: UnsafeMutableRawBufferPointer, isSpilled: Bool) {
            (self.bytes, self.isSpilled) = (bytes, isSpilled)
        }

        mutating func cut() -> BlockStore.Cell? {
            guard used < bytes.count, let start = bytes.baseAddress else { return nil }
            defer { used += Block.size }
            return BlockStore.Cell(bytes: start + used, isSpilled: isSpilled)
        }
    }

    let memoryLimit: Int
    var allowance: Int
    var meter: SpillMeter?
    var memoryUsed = 0
    var spilled = 0
    /// The newest chunk in memory, and that of the file.
    var newest: Chunk?
    var newestSpilled: Chunk?
    var free: [BlockStore.Cell] = []
    var freeSpilled: [BlockStore.Cell] = []
    var chunks: [UnsafeMutableRawBufferPointer] = []
    var spill: SpillFile?

    mutating func take() throws(OverlayError) -> BlockStore.Cell {
        if let cell = free.popLast() ?? newest?.cut() { return cell }
        let left = allowance - memoryUsed - spilled
        if left >= BlockStore.chunkSize, memoryUsed + BlockStore.chunkSize <= memoryLimit,
            let chunk = mapMemory(BlockStore.chunkSize)
        {
            memoryUsed += BlockStore.chunkSize
            chunks.append(chunk)
            newest = Chunk(chunk, isSpilled: false)
        }
        if let cell = newest?.cut() ?? freeSpilled.popLast() ?? newestSpilled?.cut() { return cell }
        guard left >= BlockStore.spillChunkSize else { throw .writtenTooMuch(bytes: allowance) }
        try growSpill()
        return try take()
    }

    mutating func giveBack(_ cell: BlockStore.Cell) {
        if cell.isSpilled { freeSpilled.append(cell) } else { free.append(cell) }
    }

    func close() {
        for chunk in chunks { munmap(chunk.baseAddress, chunk.count) }
        spill?.close()
        meter?.add(-spilled)
    }

    private mutating func growSpill() throws(OverlayError) {
        var file: SpillFile
        if let spill { file = spill } else { file = try SpillFile() }
        defer { spill = file }
        let chunk = try file.nextChunk(BlockStore.spillChunkSize)
        spilled += BlockStore.spillChunkSize
        meter?.add(BlockStore.spillChunkSize)
        chunks.append(chunk)
        newestSpilled = Chunk(chunk, isSpilled: true)
    }
}

/// Maps memory of zeros; the caller unmaps it.
/// - Parameter isHuge: whether it is to lie in huge pages, where the system has them; `count` is the size of one.
func mapMemory(_ count: Int, isHuge: Bool = false) -> UnsafeMutableRawBufferPointer? {
    let room = isHuge ? 2 * count : count
    let flags = MAP_PRIVATE | anonymousMapping
    guard let start = mmap(nil, room, PROT_READ | PROT_WRITE, flags, -1, 0), start != MAP_FAILED else {
        return nil
    }
    guard isHuge else { return UnsafeMutableRawBufferPointer(start: start, count: count) }
    let aligned = start.alignedUp(toMultipleOf: count)
    let (before, after) = (aligned - start, start + count - aligned)
    if before > 0 { munmap(start, before) }
    if after > 0 { munmap(aligned + count, after) }
    preferHugePages(aligned, count)
    return UnsafeMutableRawBufferPointer(start: aligned, count: count)
}
