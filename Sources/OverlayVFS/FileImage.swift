import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The immutable state of one file: a base on the disk, and the blocks that differ from it.
///
/// A copy of an image shares all of its blocks, and the next image those that were not written. Bytes beyond `size` in the
/// last block are always zero.
struct FileImage: Sendable {
    /// The file on the disk, if there is one.
    var base: MappedFile?
    /// How many leading blocks show the base where `blocks` has no entry. The number only ever falls: a file
    /// that was cut short and grew again shows zeros there, as a file system would, and not the base's bytes.
    var baseBlocks: Int
    var blocks = BlockTable()
    /// The file's size in bytes.
    var size: Int

    static let empty = FileImage(base: nil, baseBlocks: 0, size: 0)

    init(_ base: MappedFile) {
        self.init(base: base, baseBlocks: Block.count(of: base.size), size: base.size)
    }

    init(base: MappedFile?, baseBlocks: Int, size: Int) {
        self.base = base
        self.baseBlocks = baseBlocks
        self.size = size
    }

    var blockCount: Int { Block.count(of: size) }

    /// Copies part of one block. Bytes beyond the file's end are zeros.
    /// - Throws: ``OverlayError/shrank(path:)`` if the base lost the page.
    func read(block: Int, from start: Int, into buffer: UnsafeMutableRawBufferPointer) throws(OverlayError) {
        if let written = blocks[block] {
            let source = written.contents[start...].prefix(buffer.count)
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source))
            return
        }
        let offset = block * Block.size + start
        var count = 0
        if let base, block < baseBlocks, offset < base.size {
            count = min(buffer.count, base.size - offset)
            try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count)), at: offset)
        }
        buffer.dropFirst(count).zero()
    }

    /// Returns whether the block contains `bytes`. A block that can no longer be read is not equal to
    /// anything.
    func shows(_ bytes: UnsafeRawBufferPointer, at block: Int) -> Bool {
        if let written = blocks[block] {
            return written.contents.isEqual(to: bytes)
        }
        guard let base, block < baseBlocks else { return bytes.isZero }
        let offset = block * Block.size
        let count = max(0, min(Block.size, base.size - offset))
        let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
        let isHeadEqual = (try? base.withBytes(at: offset, count: count) { $0.isEqual(to: head) }) ?? false
        return isHeadEqual && UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count)).isZero
    }

    /// Returns the written blocks that the image does not show; many of them are compared on all cores.
    func differing(_ written: [BlockTable.Element]) -> [BlockTable.Element] {
        let share = 1024
        guard written.count > share else {
            return written.filter { !shows($0.block.contents, at: $0.number) }
        }
        let parts = (written.count + share - 1) / share
        let found = Mutex([[BlockTable.Element]](repeating: [], count: parts))
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            let own = written[(part * share)...].prefix(share)
            let differing = own.filter { !shows($0.block.contents, at: $0.number) }
            found.withLock { $0[part] = differing }
        }
        return found.withLock { $0.flatMap(\.self) }
    }

    /// Copies bytes of the file. Bytes beyond its end are zeros.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(OverlayError) {
        try forEachBlock(of: buffer.count, at: offset) { block, start, range throws(OverlayError) in
            try read(block: block, from: start, into: UnsafeMutableRawBufferPointer(rebasing: buffer[range]))
        }
    }

    /// The page size in the database header; SQLite's default of 4096 if there is none.
    ///
    /// "The database page size in bytes. Must be a power of two between 512 and 32768 inclusive, or the
    /// value 1 representing a page size of 65536."
    /// https://www.sqlite.org/fileformat2.html#the_database_header
    var pageSize: Int {
        var header: [UInt8] = [0, 0]
        let isRead = header.withUnsafeMutableBytes { bytes in
            (try? read(into: bytes, at: 16)) != nil
        }
        guard isRead, size >= 100 else { return 4096 }
        let value = Int(header[0]) << 8 | Int(header[1])
        if value == 1 { return 65536 }
        return (512...32768).contains(value) && value.nonzeroBitCount == 1 ? value : 4096
    }
}

/// Cuts a range of a file at the boundaries of its blocks.
/// - Parameter body: receives the block, where in the block the piece starts, and where in the range it lies.
func forEachBlock<E: Error>(
    of count: Int, at offset: Int, _ body: (_ block: Int, _ start: Int, _ range: Range<Int>) throws(E) -> Void
) throws(E) {
    var done = 0
    while done < count {
        let position = offset + done
        let start = position % Block.size
        let piece = min(count - done, Block.size - start)
        try body(position / Block.size, start, done..<(done + piece))
        done += piece
    }
}

extension UnsafeRawBufferPointer {
    func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }

    package var isZero: Bool { allSatisfy { $0 == 0 } }
}

extension Slice where Base == UnsafeMutableRawBufferPointer {
    func zero() {
        _ = UnsafeMutableRawBufferPointer(rebasing: self).initializeMemory(as: UInt8.self, repeating: 0)
    }
}
