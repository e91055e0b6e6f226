/// A block of 4096 bytes of an overlay.
///
/// A block is written only while it is in the top layer of one file, under that file's lock. Once frozen it
/// is shared between images and never written again, so it is safe to pass it between threads.
final class Block: @unchecked Sendable {
    static let size = 4096

    private let cell: BlockStore.Cell
    /// Keeps the memory mapped.
    private let store: BlockStore

    init(_ cell: BlockStore.Cell, of store: BlockStore) {
        self.cell = cell
        self.store = store
    }

    deinit { store.giveBack(cell) }

    var contents: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: cell.bytes, count: Block.size) }

    /// Passes the bytes to a closure that changes them.
    func write<E: Error>(_ body: (UnsafeMutableRawBufferPointer) throws(E) -> Void) throws(E) {
        try store.writing(to: cell) { () throws(E) in
            try body(UnsafeMutableRawBufferPointer(start: cell.bytes, count: Block.size))
        }
    }

    /// Returns how many blocks a file of `byteCount` bytes takes.
    static func count(of byteCount: Int) -> Int { (byteCount + size - 1) / size }
}

extension BlockStore {
    /// Returns a block with undefined contents.
    /// - Throws: ``OverlayError/spillFailed(directory:errno:)``.
    func makeBlock() throws(OverlayError) -> Block {
        Block(try takeCell(), of: self)
    }
}
