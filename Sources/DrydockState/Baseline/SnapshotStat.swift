import DrydockFiles
import DrydockMigrations
import Foundation
import OverlayVFS

/// The file system's data about a snapshot and the files beside it: unchanged as long as nobody writes them, as git
/// also assumes.
package struct SnapshotStat: Hashable, Sendable, Codable {
    private struct File: Hashable, Codable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        /// Nanoseconds since 1970.
        var modified: Int64
        var changed: Int64
    }

    private var files: [File?]

    /// - Returns: nil when the file does not exist.
    package init?(of path: String) {
        let path = FolderListing.realPath(path)
        files = Sidecar.content.map { Self.file(path + $0) }
        if files[0] == nil { return nil }
    }

    /// Whether the files can still change without a change of this value: they were written a moment ago, and the clock
    /// of the file system is coarse (https://git-scm.com/docs/racy-git).
    func isRacy(now: Date = Date()) -> Bool {
        let latest = files.compactMap { $0.map { max($0.modified, $0.changed) } }.max() ?? 0
        return now.timeIntervalSince1970 - Double(latest) / 1e9 < 2
    }

    private static func file(_ path: String) -> File? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        return File(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino),
            size: Int64(status.st_size), modified: nanoseconds(modified), changed: nanoseconds(changed))
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
