import Synchronization

/// One file of an overlay, open or not: its bytes, and the locks that connections hold on it.
final class OverlayFile: Sendable {
    let locks = FileLocks()
    let sharedMemory = SharedMemory()
    private let content: Mutex<FileContent>
    private let store: BlockStore
    /// The database of which this is the rollback journal, if it is one.
    private let database: OverlayFile?

    init(_ image: FileImage, store: BlockStore, journalOf database: OverlayFile? = nil) {
        content = Mutex(FileContent(image))
        (self.store, self.database) = (store, database)
    }

    var size: Int { content.withLock { $0.size } }

    /// Copies bytes of the file and fills the rest of the buffer with zeros.
    /// - Returns: false if the range reaches beyond the file's end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(OverlayError) -> Bool {
        try content.withLock { content throws(OverlayError) in try content.read(into: buffer, at: offset) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(OverlayError) {
        try content.withLock { content throws(OverlayError) in
            if let database, content.note(bytes, at: offset, from: { database.frozen }) { return }
            try content.write(bytes, at: offset, store)
        }
    }

    func truncate(to size: Int) throws(OverlayError) {
        try content.withLock { content throws(OverlayError) in try content.truncate(to: size, store) }
    }

    /// Replaces the content.
    func rebase(on image: FileImage) { content.withLock { $0 = FileContent(image) } }

    private var frozen: FileImage { content.withLock { $0.frozen } }

    /// Writes what is only noted of a journal, so that a state of it needs nothing else.
    func storePieces() throws(OverlayError) {
        try content.withLock { content throws(OverlayError) in try content.storePieces(store) }
    }

    /// Makes what was written since the last freeze part of the immutable state.
    func freeze() -> FrozenFile {
        content.withLock { $0.freeze() }
    }
}

/// The result of a freeze: the states of a file before and after.
struct FrozenFile: Sendable {
    let before: FileImage
    let after: FileImage
    /// The blocks in which the two differ, or which can no longer be read.
    var changed: [Int] = []
    /// Those in which they may differ.
    let touched: [Int]
}
