#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A temporary file without a name, for what is derived from a user's data: nobody else can open it, and it disappears
/// with this object, or with the mapping of it, however the process ends.
package final class PrivateFile {
    /// Open for reading and writing; the file's owner closes it.
    package let descriptor: Int32
    package private(set) var size = 0
    private let directory: String

    /// - Throws: ``OverlayError/spillFailed(directory:errno:)``.
    package init() throws(OverlayError) {
        directory = SpillFile.folder
        descriptor = SpillFile.open(in: directory)
        if descriptor < 0 { throw .spillFailed(directory: directory, errno: errno) }
    }

    deinit { close(descriptor) }

    /// Writes bytes to the end.
    /// - Throws: ``OverlayError/spillFailed(directory:errno:)`` if the disk is full, or would nearly be.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(OverlayError) {
        if size >= SpillFile.allowance, !SpillFile.leavesRoom(descriptor) {
            throw .spillFailed(directory: directory, errno: ENOSPC)
        }
        var rest = bytes
        while !rest.isEmpty {
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(size))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .spillFailed(directory: directory, errno: errno) }
            size += count
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    package func append(_ bytes: [UInt8]) throws(OverlayError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(OverlayError) in try append(buffer) }
        }
        try result.get()
    }
}
