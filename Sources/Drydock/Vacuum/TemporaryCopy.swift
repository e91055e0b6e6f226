#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A new file for the copy of a database, which this process holds locked as long as it needs it. What has its kind of
/// name and no lock was left by a run that was killed.
final class TemporaryCopy: Sendable {
    let path: String
    let descriptor: Int32

    private static let digits = 16

    /// - Parameters:
    ///   - database: whose permissions the file gets.
    ///   - mark: of the command, in the file's name.
    /// - Throws: ``RequestError`` when the file cannot be made.
    init(of database: String, in folder: String, mark: String = ".drydock-vacuum-") throws {
        let prefix = Self.name(of: database) + mark
        Self.removeLeftOvers(of: database, in: folder, mark: mark)
        var status = stat()
        let mode = stat(database, &status) == 0 ? status.st_mode & 0o777 : 0o600
        while true {
            let number = String(UInt64.random(in: .min ... .max), radix: 16)
            let padded = String(repeating: "0", count: Self.digits - number.count) + number
            let path = "\(folder)/\(prefix)\(padded)"
            // SQLite writes into an empty file that is there as into a new one.
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            guard descriptor >= 0 else {
                throw RequestError("\(path) cannot be made: \(String(cString: strerror(errno)))")
            }
            _ = fchmod(descriptor, mode)
            // Before it was locked, another run may have held it for left over.
            let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            if !isTaken, fstat(descriptor, &status) != 0 || status.st_nlink > 0 {
                (self.path, self.descriptor) = (path, descriptor)
                return
            }
            close(descriptor)
        }
    }

    deinit {
        Self.delete(path)
        close(descriptor)
    }

    /// Makes the file an empty one again.
    func empty() throws {
        guard ftruncate(descriptor, 0) == 0 else {
            throw RequestError("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// Gives the file its name, unless something has it.
    /// - Throws: ``RequestError``.
    func keep(as name: String) throws {
        var code = link(path, name) == 0 ? 0 : errno
        // File systems without hard links.
        if [EPERM, ENOTSUP, ENOSYS].contains(code), !FolderListing.exists(name) {
            code = rename(path, name) == 0 ? 0 : errno
        }
        guard code == 0 else {
            let reason = code == EEXIST ? "something is there already" : String(cString: strerror(code))
            throw RequestError("the copy cannot be put at '\(name)': \(reason)")
        }
    }

    static func delete(_ path: String) {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
    }

    /// Short enough for file systems, which take 255 bytes, with what follows.
    private static func name(of database: String) -> String {
        let name = database.split(separator: "/").last ?? database[...]
        return String(decoding: name.utf8.prefix(200), as: UTF8.self)
    }

    /// Removes what runs that were killed left in a folder, as far as this user may.
    static func removeLeftOvers(of database: String, in folder: String, mark: String) {
        let prefix = name(of: database) + mark
        for file in (try? FolderListing.files(in: folder)) ?? [] where file.hasPrefix(prefix) {
            let number = file.dropFirst(prefix.count)
            guard number.count == digits, number.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
                continue
            }
            let other = open("\(folder)/\(file)", O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard other >= 0 else { continue }
            if flock(other, LOCK_EX | LOCK_NB) == 0 { delete("\(folder)/\(file)") }
            close(other)
        }
    }
}
