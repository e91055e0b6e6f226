import Foundation

/// The atomic replacement of a file: a reader, even after a crash, finds the old file or the new one.
package enum AtomicFile {
    /// Writes beside the file and renames. An existing file keeps its permissions and owner, and a link its place.
    /// - Throws: ``FileFault`` with the reason in words; the old file is unchanged.
    package static func write(_ bytes: [UInt8], to path: String) throws {
        let target = FolderListing.realPath(path)
        let temporary = target + ".\(getpid()).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FileFault(FolderListing.describe(errno)) }
        do {
            defer { close(descriptor) }
            var status = stat()
            if stat(target, &status) == 0 {
                _ = fchown(descriptor, status.st_uid, status.st_gid)
                _ = fchmod(descriptor, status.st_mode & 0o7777)
            }
            try write(bytes, descriptor)
            guard fsync(descriptor) == 0 else { throw FileFault(FolderListing.describe(errno)) }
            guard rename(temporary, target) == 0 else { throw FileFault(FolderListing.describe(errno)) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static func write(_ bytes: [UInt8], _ descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw FileFault(FolderListing.describe(errno)) }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
