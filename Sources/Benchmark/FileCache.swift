import Foundation

/// The system's cache of files. What a program has written lies there in single pages, and is read more slowly than what
/// was read from a disk: nobody's database was made a moment ago.
enum FileCache {
    /// Smaller files make no difference, in bytes.
    private static let leastSize = 1 << 20

    /// Makes the system forget the large files of a folder, so that it reads them from the disk again.
    static func drop(_ folder: String) {
        #if canImport(Glibc)
        let files = FileManager.default.enumerator(atPath: folder)
        while let name = files?.nextObject() as? String {
            guard let attributes = files?.fileAttributes,
                attributes[.type] as? FileAttributeType == .typeRegular,
                (attributes[.size] as? Int ?? 0) >= leastSize
            else { continue }
            let descriptor = open(folder + "/" + name, O_RDONLY)
            guard descriptor >= 0 else { continue }
            // Only what is on the disk can be forgotten.
            fsync(descriptor)
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
            close(descriptor)
        }
        #endif
    }
}
