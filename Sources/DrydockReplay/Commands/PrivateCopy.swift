import DrydockFiles
import DrydockFindings
import Foundation
import OverlayVFS

/// A copy of a database in a folder that only this user can open. It is deleted with this object.
package final class PrivateCopy {
    /// The absolute path of the copy.
    package let path: String
    private let own: PrivateFolder
    /// The folder that the copy is in.
    package var folder: String { own.path }

    /// - Throws: ``FileFault`` if it cannot be written, ``OverlayError`` if the image cannot be read.
    package init(of image: Image) throws {
        own = try PrivateFolder(named: "drydock-command")
        path = own.path + "/database.sqlite3"
        for name in Self.folders { mkdir(own.path + "/" + name, 0o700) }
        try Self.write(image, to: path)
    }

    package func delete() { own.delete() }

    private static let folders = ["tmp", "cache"]

    /// The variables that have programs put temporary files and caches beside the copy, and not into the project.
    package var variables: [String: String] {
        let (temporary, cache) = (folder + "/tmp", folder + "/cache")
        return [
            "TMPDIR": temporary, "TMP": temporary, "TEMP": temporary, "XDG_CACHE_HOME": cache,
            "BOOTSNAP_CACHE_DIR": cache, "PYTHONDONTWRITEBYTECODE": "1",
        ]
    }

    private static let chunkSize = 1 << 20
    /// How many bytes are written however little of the disk is free.
    private static let allowance = 64 << 20

    /// Writes the main database file, which only this user may read.
    package static func write(_ image: Image, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileFault(FolderListing.describe(errno)) }
        defer { close(descriptor) }
        var disk = statvfs()
        if image.byteCount > allowance, fstatvfs(descriptor, &disk) == 0,
            UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
                < UInt64(image.byteCount) + UInt64(disk.f_blocks) * UInt64(disk.f_frsize) / 20
        {
            throw FileFault(
                "a private copy of \(image.byteCount) bytes does not fit into '\(PathParts.folder(of: path))'"
            )
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < image.byteCount {
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<min(chunkSize, image.byteCount - offset)])
            try image.read(into: piece, at: offset)
            var done = 0
            while done < piece.count {
                let count = pwrite(
                    descriptor, piece.baseAddress?.advanced(by: done), piece.count - done,
                    off_t(offset + done))
                guard count > 0 || errno == EINTR else { throw FileFault(FolderListing.describe(errno)) }
                done += max(0, count)
            }
            offset += piece.count
        }
        try image.checkIntact()
    }

    /// Returns why what is there now is not a file that can be read; nil if it is.
    package var obstacle: String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return "deleted the database" }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return "replaced the database with something else"
        }
        guard access(path, R_OK) == 0 else { return "left a database that cannot be read" }
        return nil
    }
}
