// What Linux and macOS spell differently.

#if canImport(Glibc)
import Glibc

let anonymousMapping = MAP_ANONYMOUS
let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)

typealias SignalHandler =
    @convention(c) (
        Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?
    ) -> Void

func setHandler(_ action: inout sigaction, _ handler: @escaping SignalHandler) {
    action.__sigaction_handler.sa_sigaction = handler
}

func faultAddress(_ info: UnsafeMutablePointer<siginfo_t>) -> UInt {
    UInt(bitPattern: info.pointee._sifields._sigfault.si_addr)
}

func modificationTime(_ status: stat) -> timespec { status.st_mtim }

/// Asks the system for huge pages, which it need not give (madvise(2)).
func preferHugePages(_ start: UnsafeMutableRawPointer, _ count: Int) {
    _ = madvise(start, count, MADV_HUGEPAGE)
}

/// Reserves room on the disk, so that no later write into a mapping of it can fail.
/// - Returns: 0, or an errno value.
func reserve(_ descriptor: Int32, from offset: Int, count: Int) -> Int32 {
    var code = EINTR
    while code == EINTR { code = posix_fallocate(descriptor, off_t(offset), off_t(count)) }
    return code
}

/// Opens an unnamed file; returns -1 if the file system does not support one (open(2)).
func openNameless(in directory: FilePath) -> Int32 {
    let noName: Int32 = 0o20000000 | O_DIRECTORY  // O_TMPFILE, a macro that Swift does not import
    return open(directory.cString, noName | O_RDWR | O_CLOEXEC, 0o600)
}

#else
import Darwin

let anonymousMapping = MAP_ANON
let fileSizeLimit = RLIMIT_FSIZE

typealias SignalHandler =
    @convention(c) (
        Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?
    ) -> Void

func setHandler(_ action: inout sigaction, _ handler: @escaping SignalHandler) {
    action.__sigaction_u.__sa_sigaction = handler
}

func faultAddress(_ info: UnsafeMutablePointer<siginfo_t>) -> UInt { UInt(bitPattern: info.pointee.si_addr) }

func modificationTime(_ status: stat) -> timespec { status.st_mtimespec }

/// Does nothing: macOS decides on its own.
func preferHugePages(_ start: UnsafeMutableRawPointer, _ count: Int) {}

/// Reserves room on the disk, so that no later write into a mapping of it can fail.
/// - Returns: 0, or an errno value.
func reserve(_ descriptor: Int32, from offset: Int, count: Int) -> Int32 {
    var request = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
        fst_length: off_t(count), fst_bytesalloc: 0)
    if fcntl(descriptor, F_PREALLOCATE, &request) == -1 { return errno }
    return ftruncate(descriptor, off_t(offset + count)) == 0 ? 0 : errno
}

/// Returns -1: macOS has no unnamed files.
func openNameless(in directory: FilePath) -> Int32 { -1 }
#endif
