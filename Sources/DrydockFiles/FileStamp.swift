import Foundation

/// What shows that a file is still the one that was read: as git assumes, a write changes it.
package struct FileStamp: Hashable, Sendable {
    private let device, inode: UInt64
    private let size: Int64
    private let modified, changed: [Int]
    package let isFolder: Bool

    /// - Returns: nil when there is no such file.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
        size = Int64(status.st_size)
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        #if canImport(Darwin)
        (modified, changed) = (Self.parts(status.st_mtimespec), Self.parts(status.st_ctimespec))
        #else
        (modified, changed) = (Self.parts(status.st_mtim), Self.parts(status.st_ctim))
        #endif
    }

    package var byteCount: Int { Int(size) }

    /// Seconds since 1970.
    package var modifiedSeconds: Double { Double(modified[0]) + Double(modified[1]) / 1e9 }

    /// The same for the same stamp, and for no other.
    package var text: String {
        ([String(device), String(inode), String(size)] + (modified + changed).map(String.init)).joined(
            separator: ",")
    }

    private static func parts(_ time: timespec) -> [Int] { [Int(time.tv_sec), Int(time.tv_nsec)] }

    /// Whether a later write would have another time, as far as the clock of the disk can tell
    /// (https://git-scm.com/docs/racy-git).
    package var isSettled: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec - modified[0] > 2 && now.tv_sec - changed[0] > 2
    }
}
