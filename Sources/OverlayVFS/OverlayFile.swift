import Synchronization

/// One file of an overlay, open or not: its bytes, and the locks that connections hold on it.
final class OverlayFile: Sendable {
    let locks = FileLocks()
    let sharedMemory = SharedMemory()
    private let content: Mutex<FileContent>
    private let store: BlockStore

    init(_ image: FileImage, store: BlockStore) {
        content = Mutex(FileContent(image))
        self.store = store
    }

    var size: Int { content.withLock { $0.size } }

    /// Copies bytes of the file and fills the rest of the buffer with zeros.
    /// - Returns: false if the range reaches beyond the file's end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(OverlayError) -> Bool {
        try content.withLock { content throws(OverlayError) in try content.read(into: buffer, at: offset) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(OverlayError) {
        try content.withLock { content throws(OverlayError) in
            try content.write(bytes, at: offset, store)
        }
    }

    func truncate(to size: Int) throws(OverlayError) {
        try content.withLock { content throws(OverlayError) in try content.truncate(to: size, store) }
    }

    /// Replaces the content.
    func rebase(on image: FileImage) { content.withLock { $0 = FileContent(image) } }

    /// Makes what was written since the last freeze part of the immutable state.
    func freeze() -> FrozenFile {
        content.withLock { $0.freeze() }
    }
}

/// The result of a freeze: the states of a file before and after.
struct FrozenFile: Sendable {
    let before: FileImage
    let after: FileImage
    /// The blocks in which the two may differ.
    let touched: [Int]
}

/// The bytes of a file: its state at the last freeze, and what was written since.
private struct FileContent {
    var frozen: FileImage
    var top: [UInt32: Block] = [:]
    var size: Int
    /// How many leading blocks show the frozen state where `top` has no entry; see `FileImage.baseBlocks`.
    var visible: Int

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
        if count < buffer.count { buffer[count...].zero() }
        return count == buffer.count
    }

    private func read(
        block: Int, from start: Int, into target: UnsafeMutableRawBufferPointer
    ) throws(OverlayError) {
        if let written = top[UInt32(block)] {
            let source = written.contents[start...].prefix(target.count)
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source))
        } else if block < visible {
            try frozen.read(block: block, from: start, into: target)
        } else {
            target[...].zero()
        }
    }

    mutating func write(
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
            UnsafeMutableRawBufferPointer(start: block.bytes + start, count: piece).copyMemory(from: source)
            done += piece
        }
        size = max(size, offset + bytes.count)
    }

    /// Returns the block of the top layer; if there is none, creates it from what lies below.
    /// - Parameter isReplaced: whether every byte of the block is about to be written.
    private mutating func writable(
        _ block: Int, isReplaced: Bool, _ store: BlockStore
    ) throws(OverlayError) -> Block {
        if let written = top[UInt32(block)] { return written }
        let fresh = try store.makeBlock()
        if !isReplaced {
            let target = UnsafeMutableRawBufferPointer(start: fresh.bytes, count: Block.size)
            try read(block: block, from: 0, into: target)
        }
        top[UInt32(block)] = fresh
        return fresh
    }

    mutating func truncate(to newSize: Int, _ store: BlockStore) throws(OverlayError) {
        guard newSize < size else {
            size = newSize
            return
        }
        // The bytes after the new end must read as zeros if the file grows again.
        let tail = newSize % Block.size
        if tail != 0 {
            let last = try writable(newSize / Block.size, isReplaced: false, store)
            (last.bytes + tail).initializeMemory(as: UInt8.self, repeating: 0, count: Block.size - tail)
        }
        let kept = Block.count(of: newSize)
        if newSize == 0 { top = [:] } else { top = top.filter { Int($0.key) < kept } }
        visible = min(visible, kept)
        size = newSize
    }

    mutating func freeze() -> FrozenFile {
        let before = frozen
        var after = frozen
        after.size = size
        if visible < before.blockCount {
            after.baseBlocks = min(after.baseBlocks, visible)
            after.blocks = after.blocks.filter { Int($0.key) < visible }
        }
        var touched = Array(visible..<max(visible, min(before.blockCount, after.blockCount)))
        for (number, block) in top where !after.shows(block.contents, at: Int(number)) {
            after.blocks[number] = block
            if Int(number) < visible { touched.append(Int(number)) }
        }
        self = FileContent(after)
        return FrozenFile(before: before, after: after, touched: touched)
    }
}
