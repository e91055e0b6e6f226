#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file for the vacuumed copy, named after its process so that the next run can tell one that was killed.
struct TemporaryCopy: Sendable {
    let path: String

    /// - Throws: ``RequestError`` when the folder cannot be read.
    init(of database: String, in folder: String) throws {
        let name = database.split(separator: "/").last.map(String.init) ?? database
        let prefix = "\(name)-vacuum-"
        let others = (try? FolderListing.files(in: folder)) ?? []
        for other in others where other.hasPrefix(prefix) {
            guard let process = Int32(other.dropFirst(prefix.count)), kill(process, 0) != 0, errno == ESRCH
            else {
                continue
            }
            try Self.delete(folder + "/" + other)
        }
        path = "\(folder)/\(prefix)\(getpid())"
        try Self.delete(path)
    }

    func remove() { try? Self.delete(path) }

    static func delete(_ path: String) throws {
        for suffix in ["", "-journal", "-wal", "-shm"] where unlink(path + suffix) != 0 && errno != ENOENT {
            throw RequestError("\(path + suffix) cannot be deleted: \(String(cString: strerror(errno)))")
        }
    }
}
