/// 4096 bytes of an overlay.
///
/// A block is written only while it lies in the top layer of one file, under that file's lock; once
/// frozen it is shared between images and never written again. That is why handing it from thread to
/// thread is sound.
final class Block: @unchecked Sendable {
    static let size = 4096

    let bytes: UnsafeMutableRawPointer
    private let cell: BlockStore.Cell
    /// Keeps the memory mapped.
    private let store: BlockStore

    init(_ cell: BlockStore.Cell, of store: BlockStore) {
        bytes = cell.bytes
        self.cell = cell
        self.store = store
    }

    deinit { store.giveBack(cell) }

    var contents: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: Block.size) }

    /// How many blocks a file of so many bytes takes.
    static func count(of byteCount: Int) -> Int { (byteCount + size - 1) / size }
}

extension BlockStore {
    /// A block whose bytes are whatever was there before.
    /// - Throws: ``OverlayError/spillFailed(directory:errno:)``.
    func makeBlock() throws(OverlayError) -> Block {
        Block(try takeCell(), of: self)
    }
}
