import Foundation

/// Sees whether a program opens the private copy of a database.
///
/// On Linux the system reports it (https://man7.org/linux/man-pages/man7/inotify.7.html). Elsewhere the time of the last
/// access is set to long ago, and reading the file moves it.
struct CopyWatch: ~Copyable {
    private let path: String
    #if os(Linux)
    private let descriptor: Int32

    init(_ path: String) {
        self.path = path
        descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        if descriptor >= 0 { inotify_add_watch(descriptor, path, UInt32(IN_OPEN)) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether it was opened since this watch began.
    var sawAccess: Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        return descriptor >= 0 && read(descriptor, &buffer, buffer.count) > 0
    }
    #else
    init(_ path: String) {
        self.path = path
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: Int(UTIME_OMIT))]
        _ = utimensat(AT_FDCWD, path, &times, 0)
    }

    /// Whether it was read since this watch began.
    var sawAccess: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_atimespec.tv_sec != 1
    }
    #endif
}
