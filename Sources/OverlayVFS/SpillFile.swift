#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A temporary file without a name, for pages beyond the memory limit.
///
/// It is in `TMPDIR`, or in `/tmp` if that is not set, and disappears when its descriptor is closed, however
/// the process ends.
struct SpillFile {
    private let descriptor: Int32
    private let directory: String
    private var size = 0
    /// The last bytes of the file, which are in memory only.
    private var newest: UnsafeMutableRawBufferPointer?

    /// - Throws: ``OverlayError/spillFailed(directory:errno:)``.
    init() throws(OverlayError) {
        directory = Self.folder
        descriptor = Self.open(in: directory)
        if descriptor < 0 { throw .spillFailed(directory: directory, errno: errno) }
    }

    func close() {
        #if canImport(Glibc)
        _ = Glibc.close(descriptor)
        #else
        _ = Darwin.close(descriptor)
        #endif
    }

    /// Reserves the next bytes of the file, and returns memory for them; the caller unmaps it. The bytes before them move
    /// to the file, at the same address: nobody may write to them meanwhile.
    /// - Throws: ``OverlayError/spillFailed(directory:errno:)``, for example if the disk is full.
    mutating func nextChunk(_ count: Int) throws(OverlayError) -> UnsafeMutableRawBufferPointer {
        if let newest {
            try move(newest, to: size - newest.count)
            self.newest = nil
        }
        // Beyond this limit the system would not only fail the call but also send SIGXFSZ (setrlimit(2)).
        var limit = rlimit()
        if getrlimit(fileSizeLimit, &limit) == 0, UInt64(limit.rlim_cur) < UInt64(size + count) {
            throw failure(EFBIG)
        }
        if size >= Self.allowance, !Self.leavesRoom(descriptor) { throw failure(ENOSPC) }
        let code = reserve(descriptor, from: size, count: count)
        if code != 0 { throw failure(code) }
        guard let memory = mapMemory(count, isHuge: true) else { throw failure(errno) }
        size += count
        newest = memory
        return memory
    }

    private func move(_ chunk: UnsafeMutableRawBufferPointer, to offset: Int) throws(OverlayError) {
        var done = 0
        while done < chunk.count {
            let piece = chunk[done...].prefix(Self.pieceSize)
            let count = pwrite(
                descriptor, chunk.baseAddress.map { $0 + done }, piece.count, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(count < 0 ? errno : EIO) }
            done += count
        }
        let mapped = mmap(
            chunk.baseAddress, chunk.count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor,
            off_t(offset))
        if mapped == MAP_FAILED { throw failure(errno) }
    }

    private func failure(_ code: Int32) -> OverlayError { .spillFailed(directory: directory, errno: code) }

    /// How many bytes are written at a time: Linux then keeps them in large pages, where it can.
    private static let pieceSize = 256 << 10

    /// How many bytes may be written however little of the disk is free.
    static let allowance = 1 << 30

    /// Whether a twentieth of the disk is still free, so that a migration that never stops writing does not
    /// fill it.
    static func leavesRoom(_ descriptor: Int32) -> Bool {
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0 else { return true }
        return status.f_bavail >= status.f_blocks / 20
    }

    /// The folder of temporary files.
    static var folder: String {
        let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return named.isEmpty ? "/tmp" : named
    }

    /// Opens a file without a name; returns -1 and sets `errno` if that fails.
    static func open(in directory: String) -> Int32 {
        let nameless = openNameless(in: FilePath(directory))
        return nameless >= 0 ? nameless : openAndUnlink(in: directory)
    }

    private static func openAndUnlink(in directory: String) -> Int32 {
        var name = Array((directory + "/drydock-XXXXXX").utf8CString)
        let descriptor = mkstemp(&name)
        if descriptor >= 0 {
            unlink(name)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        return descriptor
    }
}
