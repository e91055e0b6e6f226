import DrydockFiles
import DrydockFindings
import OverlayVFS
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A new file for the copy of a database, which this process keeps locked while it needs it. A file with such a name
/// and no lock was left by a run that was killed.
package final class TemporaryCopy: Sendable {
    package let path: String
    package let descriptor: Int32

    private static let digits = 16
    static let vacuumMark = ".drydock-vacuum-"
    package static let migrateMark = ".drydock-migrate-"
    package static let snapshotMark = ".drydock-snapshot-"
    private static let marks = [vacuumMark, migrateMark, snapshotMark]

    /// The folders without left-overs; nil where each is searched every time.
    @TaskLocal package static var swept: SweptFolders?

    /// The files of this process, by path.
    private static let existing = Mutex<[String: Int32]>([:])

    /// Removes unfinished files when the process ends while other tasks still hold them.
    private static let removesAtExit = atexit {
        // ``removeAll(andEnd:)`` ends the process with this lock held, and has removed them.
        TemporaryCopy.existing.withLockIfAvailable { files in
            for (path, descriptor) in files where TemporaryCopy.isFile(path, descriptor) {
                TemporaryCopy.delete(path)
            }
        }
    }

    /// - Parameters:
    ///   - database: The database whose owner and permissions the file gets, as far as this user may set them.
    ///   - mark: The command's part of the file's name.
    ///   - isPrivate: Whether the file is hidden, and only this user can read it.
    /// - Throws: ``RequestError`` if the file cannot be made.
    package init(
        of database: String, in folder: String, mark: String = vacuumMark, isPrivate: Bool = false
    ) throws {
        let prefix = (isPrivate ? "." : "") + Self.name(of: database) + mark
        Self.removeLeftOvers(in: folder)
        var status = stat()
        while true {
            let number = String(UInt64.random(in: .min ... .max), radix: 16)
            let padded = String(repeating: "0", count: Self.digits - number.count) + number
            let path = "\(folder)/\(prefix)\(padded)"
            let descriptor = Self.create(path)
            guard descriptor >= 0 else {
                throw RequestError(
                    .writing(errno), "\(path) cannot be made: \(FolderListing.describe(errno))")
            }
            if !isPrivate { Self.share(descriptor, as: database) }
            // Another run may have removed it as a leftover before it was locked.
            let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            if !isTaken, fstat(descriptor, &status) != 0 || status.st_nlink > 0 {
                (self.path, self.descriptor) = (path, descriptor)
                return
            }
            Self.end(descriptor, of: path)
        }
    }

    deinit {
        Self.delete(path)
        Self.end(descriptor, of: path)
    }

    /// Creates a file of this process, which ``removeAll(andEnd:)`` would remove.
    /// - Returns: its descriptor, or -1 with `errno`.
    private static func create(_ path: String) -> Int32 {
        _ = removesAtExit
        return existing.withLock {
            // SQLite writes to an existing empty file as to a new one.
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor >= 0 { $0[path] = descriptor }
            return descriptor
        }
    }

    private static func end(_ descriptor: Int32, of path: String) {
        existing.withLock {
            $0[path] = nil
            close(descriptor)
        }
    }

    /// Removes the files of this process that are not finished, and ends the process before it can make another. A file
    /// that has its final name keeps it.
    /// - Parameter end: Receives the paths of files that could not be removed; it ends the process.
    package static func removeAll(andEnd end: ([String]) -> Never) -> Never {
        existing.withLock { files in
            for (path, descriptor) in files where isFile(path, descriptor) { delete(path) }
            end(files.filter { isFile($0, $1) }.keys.sorted())
        }
    }

    /// Returns whether a path still leads to the file that was made there.
    private static func isFile(_ path: String, _ descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        return lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0
            && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino
    }

    /// Empties the file again.
    func empty() throws {
        guard ftruncate(descriptor, 0) == 0 else {
            throw RequestError(
                .writing(errno), "\(path) cannot be written: \(FolderListing.describe(errno))")
        }
    }

    /// Gives the file its final name, unless that name exists.
    /// - Throws: ``RequestError`` if it exists or cannot be made.
    package func keep(as name: String) throws {
        var code = link(path, name) == 0 ? 0 : errno
        // For file systems without hard links.
        if [EPERM, ENOTSUP, ENOSYS].contains(code), !FolderListing.exists(name) {
            code = rename(path, name) == 0 ? 0 : errno
        }
        guard code == 0 else {
            let fault =
                code == EEXIST ? "already exists" : "cannot be written: \(FolderListing.describe(code))"
            throw RequestError(.writing(code), "'\(name)' \(fault)")
        }
    }

    package static func delete(_ path: String) {
        for suffix in Sidecar.family { unlink(path + suffix) }
    }

    /// Returns the name cut to 200 bytes: with what is appended it fits into the 255 bytes that file systems allow.
    private static func name(of database: String) -> String {
        let name = PathParts.name(of: database)
        return String(decoding: name.utf8.prefix(200), as: UTF8.self)
    }

    /// Gives a file the owner and permissions of another. If this user cannot set the group, the group that the file
    /// has gets no access.
    private static func share(_ descriptor: Int32, as database: String) {
        var (original, copy) = (stat(), stat())
        guard stat(database, &original) == 0 else { return }
        if fchown(descriptor, original.st_uid, original.st_gid) != 0 {
            _ = fchown(descriptor, .max, original.st_gid)
        }
        var mode = original.st_mode & 0o777
        if fstat(descriptor, &copy) != 0 || copy.st_gid != original.st_gid { mode &= 0o707 }
        _ = fchmod(descriptor, mode)
    }

    /// Removes the copies in a folder, of any database, that killed runs of this user left. The copy of a live run is
    /// locked.
    package static func removeLeftOvers(in folder: String) {
        if let swept, !swept.begin(folder) { return }
        for file in (try? FolderListing.files(in: folder, withHidden: true)) ?? [] where isCopy(file) {
            let path = "\(folder)/\(file)"
            let other = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard other >= 0 else { continue }
            var status = stat()
            if fstat(other, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                [0, status.st_uid].contains(geteuid()), flock(other, LOCK_EX | LOCK_NB) == 0
            {
                delete(path)
            }
            close(other)
        }
    }

    /// Returns whether ``init(of:in:mark:)`` makes such names.
    package static func isCopy(_ file: String) -> Bool {
        let number = file.suffix(digits)
        return number.count == digits && number.allSatisfy { $0.isHexDigit && !$0.isUppercase }
            && marks.contains { file.dropLast(digits).hasSuffix($0) }
    }
}

/// The folders that a run of many databases has searched for what killed runs left: once is enough, and a folder of
/// thousands takes its time.
package final class SweptFolders: Sendable {
    private let folders = Mutex<Set<String>>([])

    package init() {}

    /// Returns whether the folder is yet to be searched.
    func begin(_ folder: String) -> Bool { folders.withLock { $0.insert(folder).inserted } }
}
