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

    /// Reserves and maps the next bytes of the file; the caller unmaps them.
    /// - Throws: ``OverlayError/spillFailed(directory:errno:)`` if the disk is full.
    mutating func mapNext(_ count: Int) throws(OverlayError) -> UnsafeMutableRawPointer {
        // Beyond this limit the system would not only fail the call but also send SIGXFSZ (setrlimit(2)).
        var limit = rlimit()
        if getrlimit(fileSizeLimit, &limit) == 0, UInt64(limit.rlim_cur) < UInt64(size + count) {
            throw .spillFailed(directory: directory, errno: EFBIG)
        }
        if size >= Self.allowance, !Self.leavesRoom(descriptor) {
            throw .spillFailed(directory: directory, errno: ENOSPC)
        }
        let failure = reserve(descriptor, from: size, count: count)
        if failure != 0 { throw .spillFailed(directory: directory, errno: failure) }
        guard let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(size)),
            memory != MAP_FAILED
        else { throw .spillFailed(directory: directory, errno: errno) }
        size += count
        return memory
    }

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
