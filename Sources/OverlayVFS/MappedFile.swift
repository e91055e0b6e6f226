import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A regular file mapped for reading, which may be cut short by another process.
///
/// A file that is being written is torn, so only snapshots are mapped, or files under a lock. The descriptor
/// is closed once the file is mapped, or by ``closeDescriptor()``: closing drops the POSIX locks that this
/// process holds on the file
/// (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
package final class MappedFile: Sendable {
    let path: FilePath
    /// The identity of the file when it was mapped.
    private let identity: FileIdentity
    /// -1 if none is held.
    private let heldDescriptor: Atomic<Int32>
    /// Whether the file has no name, so that nobody else can change it.
    let isPrivate: Bool

    /// The first bytes, where a database has its change counter and a log its salts. The modification time
    /// does not show a second write within one tick of the clock.
    private let head: [UInt8]

    // The memory is read-only and stays mapped until this object is freed; the slot's fields are atomics.
    // Nothing here changes after init, so it is safe to share the pointers between threads.
    nonisolated(unsafe) private let start: UnsafeRawPointer?
    nonisolated(unsafe) private let slot: UnsafeMutablePointer<FaultSlot>?

    /// The size of a log's header, and enough of a database's header, in bytes.
    private static let headCount = 32

    /// The file's size in bytes when it was mapped; no read goes beyond it.
    package var size: Int { identity.size }

    /// Maps a file.
    /// - Parameter holdsDescriptor: whether its descriptor stays open until ``closeDescriptor()``, or until this
    ///   object is freed.
    /// - Throws: ``OverlayError`` if the file is missing, not a regular file, or cannot be read or mapped.
    package convenience init(path: String, holdsDescriptor: Bool = false) throws(OverlayError) {
        try self.init(FilePath(path), holdsDescriptor: holdsDescriptor)
    }

    convenience init(_ path: FilePath, holdsDescriptor: Bool = false) throws(OverlayError) {
        // Checked before the file is opened, since opening a device may have effects; checked again
        // afterwards.
        _ = try FileIdentity(of: path)
        // Without O_NONBLOCK, opening a pipe that took the file's place would wait for a writer.
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        let descriptor = open(path.cString, flags)
        guard descriptor >= 0 else { throw OverlayError(errno, path) }
        try self.init(path, descriptor, holdsDescriptor: holdsDescriptor, isPrivate: false)
    }

    /// Maps a file without a name, which nobody else can change.
    /// - Parameter name: the path that errors show.
    /// - Throws: ``OverlayError`` if it cannot be mapped.
    package convenience init(_ file: PrivateFile, named name: String) throws(OverlayError) {
        let path = FilePath(name)
        let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw OverlayError(errno, path) }
        try self.init(path, descriptor, holdsDescriptor: false, isPrivate: true)
    }

    /// - Parameter descriptor: closed here unless it is held.
    private init(
        _ path: FilePath, _ descriptor: Int32, holdsDescriptor: Bool, isPrivate: Bool
    ) throws(OverlayError) {
        self.isPrivate = isPrivate
        var isHeld = false
        defer { if !isHeld { close(descriptor) } }

        let identity = try FileIdentity(of: descriptor, path)
        self.path = path
        self.identity = identity
        guard identity.size > 0 else {
            start = nil
            slot = nil
            head = []
            heldDescriptor = Atomic(holdsDescriptor ? descriptor : -1)
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
        heldDescriptor = Atomic(holdsDescriptor ? descriptor : -1)
        isHeld = holdsDescriptor
    }

    deinit {
        if let slot { FaultTable.leave(slot) }
        if let start { munmap(UnsafeMutableRawPointer(mutating: start), identity.size) }
        closeDescriptor()
    }

    /// Closes the descriptor if it is still held; the file stays mapped.
    ///
    /// To be called while this process has no lock on the file. Freeing this object closes it too, but another
    /// thread may be the last to let it go, when a later lock is held.
    package func closeDescriptor() {
        let descriptor = heldDescriptor.exchange(-1, ordering: .acquiringAndReleasing)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether a read found a page missing. It stays true.
    package var isBroken: Bool {
        slot?.pointee.isBroken.load(ordering: .sequentiallyConsistent) ?? false
    }

    /// Calls a closure with bytes of the file, without a copy.
    ///
    /// The closure may see zeros in place of lost bytes; its result is then dropped.
    /// - Throws: ``OverlayError/shrank(path:)`` if a page is lost or the range ends beyond ``size``.
    package func withBytes<R>(
        at offset: Int, count: Int, _ body: (UnsafeRawBufferPointer) -> R
    ) throws(OverlayError) -> R {
        guard offset >= 0, count >= 0, count <= size, offset <= size - count else {
            throw .shrank(path: path.string)
        }
        guard let start, count > 0 else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let result = body(UnsafeRawBufferPointer(start: start + offset, count: count))
        // The reads above may not be moved below the check of the mark.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        if isBroken { throw .shrank(path: path.string) }
        return result
    }

    /// Returns the bytes themselves, which stay mapped as long as this object lives. Lost bytes read as
    /// zeros: ``isBroken`` says so afterwards.
    /// - Returns: nil if the range ends beyond ``size``.
    package func contiguousBytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer? {
        guard let start, offset >= 0, count >= 0, offset <= size - count else { return nil }
        return UnsafeRawBufferPointer(start: start + offset, count: count)
    }

    /// Copies bytes of the file into the whole buffer.
    /// - Throws: ``OverlayError/shrank(path:)`` as ``withBytes(at:count:_:)`` does.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(OverlayError) {
        try withBytes(at: offset, count: buffer.count) { buffer.copyMemory(from: $0) }
    }

    /// Copies bytes of the file into the whole buffer without touching the mapping, through the descriptor.
    ///
    /// This costs less for what is read once: the system need not map each page of it.
    /// - Returns: false if no descriptor is held or the file does not give all bytes.
    package func readDescriptor(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
        let descriptor = heldDescriptor.load(ordering: .acquiring)
        guard descriptor >= 0, offset >= 0, offset <= size - buffer.count else { return false }
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset + done))
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// Gives the memory of what was read back to the system; what is read again comes from the system's cache.
    package func releaseMemory() {
        guard let start else { return }
        madvise(UnsafeMutableRawPointer(mutating: start), identity.size, MADV_DONTNEED)
    }

    /// Whether the path still leads to the file that was mapped, whether or not it was written.
    package var isAtPath: Bool { (try? FileIdentity(of: path))?.isSameFile(as: identity) ?? false }

    /// Checks that the file on the disk is still the one that was mapped. A write-ahead log may have grown:
    /// its mapped part is unchanged until the log starts over with new salts.
    /// - Throws: ``OverlayError`` if the file is missing, was replaced, was written or was cut short. A file
    ///   that was written and then given its old modification time again is not noticed.
    package func checkUnchanged() throws(OverlayError) {
        if isBroken { throw .shrank(path: path.string) }
        if isPrivate { return }
        let now = try FileIdentity(of: path)
        let grew = path.string.hasSuffix(Sidecar.log) && now.isSameFile(as: identity) && now.size >= size
        if now == identity || grew, try withBytes(at: 0, count: head.count, { $0.elementsEqual(head) }) {
            return
        }
        throw now.isSameFile(as: identity) && now.size < identity.size
            ? .shrank(path: path.string) : .changed(path: path.string)
    }
}

/// The identity and the last change of a file: differs between two files, and before and after a change of
/// one.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// - Throws: ``OverlayError`` if the file is missing or is not a regular file.
    package init(path: String) throws(OverlayError) { try self.init(of: FilePath(path)) }

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
