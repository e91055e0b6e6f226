#if canImport(Glibc)
import DrydockFiles
import Glibc
#else
import Darwin
#endif

/// Reads what file systems report.
package enum DiskSpace {
    /// Whether a migration refuses to begin without the space that it needs. Tests turn this off to let it run out.
    @TaskLocal package static var isChecked = true

    /// Returns the bytes that this user may still write in a folder; nil if the file system does not say.
    package static func free(in folder: String) -> Int? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return Int(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    }

    /// Returns the block size of a file's file system, in bytes; nil if the file system does not say.
    static func blockSize(of path: String) -> Int? {
        var status = statvfs()
        return statvfs(path, &status) == 0 ? Int(clamping: UInt64(status.f_bsize)) : nil
    }

    /// Returns why a file or folder cannot be written, as the end of a sentence that begins with it; nil if it can be.
    package static func writeObstacle(_ path: String) -> String? {
        guard access(path, W_OK) != 0 else { return nil }
        return [EACCES, EPERM].contains(errno)
            ? "cannot be written by this user" : "cannot be written: \(FolderListing.describe(errno))"
    }

    /// Returns whether two folders are on the same file system.
    package static func areOnOne(_ one: String, _ other: String) -> Bool {
        var (a, b) = (stat(), stat())
        return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev
    }
}

/// The folder in which SQLite makes temporary files
/// (https://www.sqlite.org/tempfiles.html#temporary_file_storage_locations).
enum SQLiteTemporaryFolder {
    static var path: String {
        var places: [String] = []
        for name in ["SQLITE_TMPDIR", "TMPDIR"] {
            if let value = getenv(name) { places.append(String(cString: value)) }
        }
        places += ["/var/tmp", "/usr/tmp", "/tmp"]
        return places.first { FolderListing.isFolder($0) && access($0, W_OK | X_OK) == 0 } ?? "."
    }
}
