/// The bytes of a file: its state at the last freeze, and what was written since.
struct FileContent {
    private(set) var frozen: FileImage
    private var top = BlockTable()
    /// What is in neither, of a journal.
    private var pieces = JournalPieces()
    private(set) var size: Int
    /// How many leading blocks show the frozen state where `top` has no entry; see `FileImage.baseBlocks`.
    private var visible: Int

    init(_ image: FileImage) {
        frozen = image
        size = image.size
        visible = image.blockCount
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(OverlayError) -> Bool {
        let count = max(0, min(buffer.count, size - offset))
        try forEachBlock(of: count, at: offset) { block, start, range throws(OverlayError) in
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[range])
            try read(block: block, from: start, into: target)
        }
        try pieces.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
        if count < buffer.count { buffer[count...].zero() }
        return count == buffer.count
    }

    private func read(
        block: Int, from start: Int, into target: UnsafeMutableRawBufferPointer
    ) throws(OverlayError) {
        if let written = top[block] {
            let source = written.contents[start...].prefix(target.count)
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source))
        } else if block < visible {
            try frozen.read(block: block, from: start, into: target)
        } else {
            target[...].zero()
        }
    }

    /// Notes what is written to a journal, where it need not be stored.
    /// - Parameter database: the database, as it is below the overlay.
    /// - Returns: false if the bytes must be written.
    mutating func note(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, from database: () -> FileImage
    ) -> Bool {
        var number: UInt32 = 0
        if offset >= 4 {
            _ = try? withUnsafeMutableBytes(of: &number) { try read(into: $0, at: offset - 4) }
        }
        guard pieces.take(bytes, at: offset, size: size, number: UInt32(bigEndian: number), of: database)
        else { return false }
        size = max(size, offset + bytes.count)
        return true
    }

    /// Writes the pieces that are only noted, so that nothing else is needed to read the file.
    mutating func storePieces(_ store: BlockStore) throws(OverlayError) {
        try withPieces { content, pieces throws(OverlayError) in
            try pieces.releaseAll { bytes, offset throws(OverlayError) in
                try content.put(bytes, at: offset, store)
            }
        }
    }

    /// Prepares a range for other bytes.
    private mutating func giveUpPieces(in range: Range<Int>, _ store: BlockStore) throws(OverlayError) {
        guard !pieces.isEmpty else { return }
        try withPieces { content, pieces throws(OverlayError) in
            try pieces.release(range) { bytes, offset throws(OverlayError) in
                try content.put(bytes, at: offset, store)
            }
        }
    }

    private mutating func withPieces(
        _ body: (inout FileContent, inout JournalPieces) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        var taken = JournalPieces()
        swap(&taken, &pieces)
        defer { pieces = taken }
        try body(&self, &taken)
    }

    mutating func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, _ store: BlockStore
    ) throws(OverlayError) {
        try giveUpPieces(in: offset..<(offset + bytes.count), store)
        try put(bytes, at: offset, store)
        size = max(size, offset + bytes.count)
    }

    private mutating func put(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, _ store: BlockStore
    ) throws(OverlayError) {
        // Not `forEachBlock`, since a closure cannot change `self` here.
        var done = 0
        while done < bytes.count {
            let position = offset + done
            let start = position % Block.size
            let piece = min(bytes.count - done, Block.size - start)
            let block = try writable(position / Block.size, isReplaced: piece == Block.size, store)
            let source = UnsafeRawBufferPointer(rebasing: bytes[done..<(done + piece)])
            block.write { UnsafeMutableRawBufferPointer(rebasing: $0[start...]).copyMemory(from: source) }
            done += piece
        }
    }

    /// Returns the block of the top layer; if there is none, creates it from what lies below.
    /// - Parameter isReplaced: whether every byte of the block is about to be written.
    private mutating func writable(
        _ block: Int, isReplaced: Bool, _ store: BlockStore
    ) throws(OverlayError) -> Block {
        if let written = top[block] { return written }
        let fresh = try store.makeBlock()
        if !isReplaced {
            try fresh.write { bytes throws(OverlayError) in try read(block: block, from: 0, into: bytes) }
        }
        top[block] = fresh
        return fresh
    }

    mutating func truncate(to newSize: Int, _ store: BlockStore) throws(OverlayError) {
        guard newSize < size else {
            size = newSize
            return
        }
        try giveUpPieces(in: newSize..<size, store)
        pieces.removeAll(behind: newSize)
        // The bytes after the new end must read as zeros if the file grows again.
        let tail = newSize % Block.size
        if tail != 0 {
            let last = try writable(newSize / Block.size, isReplaced: false, store)
            last.write { $0[tail...].zero() }
        }
        let kept = Block.count(of: newSize)
        top.removeAll(from: kept)
        visible = min(visible, kept)
        size = newSize
    }

    mutating func freeze() -> FrozenFile {
        let before = frozen
        var after = frozen
        after.size = size
        if visible < before.blockCount {
            after.baseBlocks = min(after.baseBlocks, visible)
            after.blocks.removeAll(from: visible)
        }
        let shown = visible..<max(visible, min(before.blockCount, after.blockCount))
        let changed = after.differing(top.all)
        for (number, block) in changed { after.blocks[number] = block }
        self = FileContent(after)
        return FrozenFile(
            before: before, after: after, changed: changed.map(\.number).filter { $0 < shown.lowerBound },
            touched: Array(shown))
    }
}
