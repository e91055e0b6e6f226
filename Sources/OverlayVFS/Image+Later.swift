/// A later state of the same database over the same file on the disk.
///
///     let live = try Overlay(snapshot: path).freeze().image
///     let now = try copied.updated(to: live)
extension Image {
    /// The blocks of the main database that differ from the file on the disk, or did.
    package var writtenBlocks: Set<UInt32> { Set(main.blocks.all.map { UInt32($0.number) }) }

    /// Returns this state with the bytes of a later one, as few blocks as possible beside those that it has.
    /// - Parameter candidates: the blocks of equal size in which the two may differ; nil for all of them.
    /// - Returns: nil if both have the same bytes.
    /// - Throws: ``OverlayError`` if a file below one of the two lost pages, or there is no room.
    package func updated(to later: Image, in candidates: Set<UInt32>? = nil) throws(OverlayError) -> Image? {
        let size = later.byteCount
        var now = main
        now.size = size
        now.baseBlocks = min(now.baseBlocks, Block.count(of: size))
        now.blocks.removeAll(from: now.blockCount)
        let store = BlockStore(memoryLimit: Overlay.defaultMemoryLimit)
        var isSame = size == byteCount
        // Where one ends within a block, the other may go on.
        let tail = min(size, byteCount) / Block.size..<now.blockCount
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Block.size, alignment: 16)
        defer { buffer.deallocate() }
        func take(_ number: Int) throws(OverlayError) {
            try later.main.read(block: number, from: 0, into: buffer)
            buffer.dropFirst(size - number * Block.size).zero()
            guard !now.shows(UnsafeRawBufferPointer(buffer), at: number) else { return }
            let block = try store.makeBlock()
            block.write { $0.copyMemory(from: UnsafeRawBufferPointer(buffer)) }
            now.blocks[number] = block
            isSame = false
        }
        if let candidates {
            for number in candidates.sorted()
            where Int(number) < now.blockCount && !tail.contains(Int(number)) {
                try take(Int(number))
            }
            for number in tail { try take(number) }
        } else {
            // Most of a file is the same, and compared faster in large parts.
            let part = 256
            let written = Set((now.blocks.all + later.main.blocks.all).map { $0.number / part })
            for first in stride(from: 0, to: now.blockCount, by: part) {
                let blocks = first..<min(first + part, now.blockCount)
                if !written.contains(first / part), now.hasFile(of: later.main, in: blocks) { continue }
                for number in blocks { try take(number) }
            }
        }
        try later.checkIntact()
        try checkIntact()
        return isSame ? nil : Image(main: now, path: path, bases: bases)
    }

    /// Returns how this state differs from an earlier one.
    package func footprint(since earlier: Image) -> Footprint {
        Footprint(
            FrozenFile(
                before: earlier.main, after: main, touched: differingBlocks(from: earlier.main)))
    }

    /// Returns the pages that may differ from another state of the same size of page: those written over one file on
    /// the disk. They are counted from 1, ascending, and may lie beyond the end of one of the two.
    package func pages(differingFrom earlier: Image) -> [UInt32] {
        let size = pageSize
        var pages = Set<UInt32>()
        for block in differingBlocks(from: earlier.main) {
            let first = block * Block.size / size
            let last = (block * Block.size + Block.size - 1) / size
            for index in first...last { pages.insert(UInt32(index + 1)) }
        }
        let (old, new) = (earlier.byteCount / size, byteCount / size)
        for index in min(old, new)..<max(old, new) { pages.insert(UInt32(index + 1)) }
        return pages.sorted()
    }

    /// How many bytes at the beginning of the main database can be those of the file on the disk; those behind them are
    /// written, or zero.
    package var keptByteCount: Int { min(byteCount, main.baseBlocks * Block.size) }

    /// Passes each written block to a closure, with its place in the main database.
    /// - Parameter earlier: A state whose blocks are left out where they are the same.
    package func forEachWrittenBlock<E: Error>(
        since earlier: Image?, _ body: (_ bytes: UnsafeRawBufferPointer, _ offset: Int) throws(E) -> Void
    ) throws(E) {
        let known = earlier?.main.blocks ?? BlockTable()
        for (number, block) in main.blocks.all where known[number] !== block {
            let offset = number * Block.size
            let count = min(Block.size, byteCount - offset)
            try body(UnsafeRawBufferPointer(rebasing: block.contents.prefix(count)), offset)
        }
    }
}

extension FileImage {
    /// Returns whether the files on the disk have the same bytes in some blocks, all of which both have.
    fileprivate func hasFile(of other: FileImage, in blocks: Range<Int>) -> Bool {
        guard let base, let theirs = other.base, blocks.upperBound <= min(baseBlocks, other.baseBlocks) else {
            return false
        }
        let (offset, count) = (blocks.lowerBound * Block.size, blocks.count * Block.size)
        guard offset + count <= min(base.size, theirs.size) else { return false }
        let isSame = try? base.withBytes(at: offset, count: count) { mine in
            (try? theirs.withBytes(at: offset, count: count) { mine.isEqual(to: $0) }) ?? false
        }
        return isSame ?? false
    }
}
