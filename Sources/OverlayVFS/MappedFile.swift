import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A regular file mapped for reading, which survives that somebody else cuts the file short.
///
/// A file that is being written is torn: mapping is for snapshots, or under a lock. The descriptor is closed
/// once the file is mapped, or with this object: closing drops the POSIX locks that this process holds on the
/// file (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
package final class MappedFile: Sendable {
    let path: FilePath
    /// What the file was when it was mapped.
    private let identity: FileIdentity
    /// Closed with this object.
    private let heldDescriptor: Int32?

    /// The first bytes, where a database has its change counter and a log its salts: times alone do not tell of
    /// a second write within one tick of the clock.
    private let head: [UInt8]

    // The memory is read-only and stays mapped until this object goes; the slot's fields are atomics.
    // Nothing here changes after init, so that sharing the pointers between threads is sound.
    nonisolated(unsafe) private let start: UnsafeRawPointer?
    nonisolated(unsafe) private let slot: UnsafeMutablePointer<FaultSlot>?

    /// The size of a log's header, and enough of a database's, in bytes.
    private static let headCount = 32

    /// The file's size in bytes when it was mapped; no read goes beyond it.
    package var size: Int { identity.size }

    /// Maps a file.
    /// - Parameter holdsDescriptor: whether its descriptor stays open as long as this object lives.
    /// - Throws: ``OverlayError``.
    package convenience init(path: String, holdsDescriptor: Bool = false) throws(OverlayError) {
        try self.init(FilePath(path), holdsDescriptor: holdsDescriptor)
    }

    init(_ path: FilePath, holdsDescriptor: Bool = false) throws(OverlayError) {
        // Asked before it is opened, since opening a device may do something; and again afterwards.
        _ = try FileIdentity(of: path)
        // Without O_NONBLOCK the opening of a pipe that took the file's place would wait for a writer.
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        let descriptor = open(path.cString, flags)
        guard descriptor >= 0 else { throw OverlayError(errno, path) }
        var isHeld = false
        defer { if !isHeld { close(descriptor) } }

        let identity = try FileIdentity(of: descriptor, path)
        self.path = path
        self.identity = identity
        guard identity.size > 0 else {
            start = nil
            slot = nil
            head = []
            heldDescriptor = holdsDescriptor ? descriptor : nil
            isHeld = holdsDescriptor
            return
        }
        guard let memory = mmap(nil, identity.size, PROT_READ, MAP_SHARED, descriptor, 0),
            memory != MAP_FAILED
        else { throw OverlayError(errno, path) }
        guard let slot = FaultTable.enter(UInt(bitPattern: memory), count: identity.size) else {
            munmap(memory, identity.size)
            throw .tooManyFiles(path: path.string)
        }
        self.slot = slot
        start = UnsafeRawPointer(memory)
        head = Array(UnsafeRawBufferPointer(start: memory, count: min(Self.headCount, identity.size)))
        heldDescriptor = holdsDescriptor ? descriptor : nil
        isHeld = holdsDescriptor
    }

    deinit {
        if let slot { FaultTable.leave(slot) }
        if let start { munmap(UnsafeMutableRawPointer(mutating: start), identity.size) }
        if let heldDescriptor { close(heldDescriptor) }
    }

    /// Whether a read found a page gone. It stays so.
    package var isBroken: Bool {
        slot?.pointee.isBroken.load(ordering: .sequentiallyConsistent) ?? false
    }

    /// Calls a closure with bytes of the file, without a copy.
    ///
    /// The closure may see zeros in the place of bytes that are gone; its result is then dropped.
    /// - Throws: ``OverlayError/shrank(path:)`` when a page was gone or the range ends beyond ``size``.
    package func withBytes<R>(
        at offset: Int, count: Int, _ body: (UnsafeRawBufferPointer) -> R
    ) throws(OverlayError) -> R {
        guard offset >= 0, count >= 0, count <= size, offset <= size - count else {
            throw .shrank(path: path.string)
        }
        guard let start, count > 0 else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let result = body(UnsafeRawBufferPointer(start: start + offset, count: count))
        // The reads above may not be moved below the look at the mark.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        if isBroken { throw .shrank(path: path.string) }
        return result
    }

    /// The bytes themselves, which stay mapped as long as this object lives. Some may turn out to be gone and
    /// read as zeros: ``isBroken`` says so afterwards.
    /// - Returns: nil where the range ends beyond ``size``.
    package func contiguousBytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer? {
        guard let start, offset >= 0, count >= 0, offset <= size - count else { return nil }
        return UnsafeRawBufferPointer(start: start + offset, count: count)
    }

    /// Copies bytes of the file into a buffer, as many as the buffer holds.
    /// - Throws: ``OverlayError/shrank(path:)`` as ``withBytes(at:count:_:)`` does.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(OverlayError) {
        try withBytes(at: offset, count: buffer.count) { buffer.copyMemory(from: $0) }
    }

    /// Whether the path still leads to the file that was mapped, written or not.
    package var isAtPath: Bool { (try? FileIdentity(of: path))?.isSameFile(as: identity) ?? false }

    /// Makes sure that the file on the disk is still the one that was mapped. A write-ahead log may have grown:
    /// what was mapped of it stays as it is until the log begins anew, with other salts.
    /// - Throws: ``OverlayError`` when it is gone, was replaced, was written or was cut short. A file
    ///   that was written and then given its old modification time again is not noticed.
    package func checkUnchanged() throws(OverlayError) {
        if isBroken { throw .shrank(path: path.string) }
        let now = try FileIdentity(of: path)
        let grew = path.string.hasSuffix("-wal") && now.isSameFile(as: identity) && now.size >= size
        if now == identity || grew, try withBytes(at: 0, count: head.count, { $0.elementsEqual(head) }) {
            return
        }
        throw now.isSameFile(as: identity) && now.size < identity.size
            ? .shrank(path: path.string) : .changed(path: path.string)
    }
}

/// What tells a file from another, and from itself after a change.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    init(of path: FilePath) throws(OverlayError) {
        var status = stat()
        guard stat(path.cString, &status) == 0 else { throw OverlayError(errno, path) }
        try self.init(status, path)
    }

    init(of descriptor: Int32, _ path: FilePath) throws(OverlayError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw OverlayError(errno, path) }
        try self.init(status, path)
    }

    private init(_ status: stat, _ path: FilePath) throws(OverlayError) {
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile(path: path.string) }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int(status.st_size)
        let modified = modificationTime(status)
        seconds = modified.tv_sec
        nanoseconds = modified.tv_nsec
    }

    func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }
}

extension OverlayError {
    init(_ errno: Int32, _ path: FilePath) {
        self =
            errno == ENOENT || errno == ENOTDIR
            ? .missing(path: path.string) : .unreadable(path: path.string, errno: errno)
    }
}
