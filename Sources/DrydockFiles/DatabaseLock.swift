import Foundation

/// A lock on a database that keeps every other program from writing it, and lets them read where SQLite allows that.
///
/// It takes the locks of SQLite's protocol itself (https://www.sqlite.org/lockingv3.html,
/// https://www.sqlite.org/walformat.html#wal_locks) and opens no connection, which could roll back a journal or make
/// files. They are shared where SQLite's own are exclusive, so that several Drydocks can hold them at once, and belong to
/// the open file, so that nothing else in this process can drop them.
package final class DatabaseLock: Sendable {
    package let path: String
    private let file: Int32
    private let index: Int32
    private let stamps: [Content?]

    package enum Obstacle: Error, Sendable {
        /// Another program writes the database, or has it locked.
        case isWritten
        case cannotBeLocked(String)
    }

    // The bytes that are locked, as os_unix.c and wal.c have them.
    private static let pending = off_t(0x4000_0000)
    private static let reserved = pending + 1
    private static let shared = (start: pending + 2, count: off_t(510))
    /// Of the `-shm` file: those of a writer, of a checkpoint and of recovery.
    private static let writing = (start: off_t(120), count: off_t(3))
    private static let sidecars = ["", "-journal", "-wal"]

    /// - Throws: ``Obstacle``.
    package init(_ path: String) throws {
        self.path = path
        // To lock a file against readers, it must be open for writing; nothing is written.
        var descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        let canExclude = descriptor >= 0
        if !canExclude { descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { throw Obstacle.cannotBeLocked(FolderListing.describe(errno)) }
        var log = Int32(-1)
        do {
            try Self.lock(descriptor, F_RDLCK, Self.shared)
            try Self.lock(descriptor, F_RDLCK, (Self.reserved, 1))
            if Self.hasLog(descriptor) {
                log = open(path + "-shm", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                if log >= 0 { try Self.lock(log, F_RDLCK, Self.writing) }
            }
            // Whoever opens it now would roll the journal back, or make the log that is not there yet.
            if canExclude, Self.isHot(path) || (Self.hasLog(descriptor) && log < 0) {
                try Self.lock(descriptor, F_WRLCK, (Self.pending, 1))
            }
        } catch {
            close(descriptor)
            if log >= 0 { close(log) }
            throw error
        }
        (file, index) = (descriptor, log)
        stamps = Self.stamps(of: path)
    }

    deinit {
        // The locks of an open file end with it (fcntl(2), open file description locks).
        close(file)
        if index >= 0 { close(index) }
    }

    /// The file of the database that is not what it was when it was locked: itself, its journal or its log.
    package var changedFile: String? {
        zip(Self.sidecars, zip(stamps, Self.stamps(of: path))).first { $0.1.0 != $0.1.1 }.map { path + $0.0 }
    }

    /// What changes about a file when it is written or replaced. The time at which its owner or permissions were set does
    /// not count: SQLite sets those of a log that root opens.
    private struct Content: Equatable {
        var file: [UInt64]
        var modified: [Int]

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            file = [UInt64(status.st_dev), UInt64(status.st_ino), UInt64(status.st_size)]
            #if canImport(Darwin)
            modified = [status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec]
            #else
            modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
            #endif
        }
    }

    private static func stamps(of path: String) -> [Content?] { sidecars.map { Content(path + $0) } }

    /// Whether the header says that the database has a write-ahead log (https://www.sqlite.org/fileformat2.html#hdrwritever).
    private static func hasLog(_ descriptor: Int32) -> Bool {
        var version = UInt8(0)
        return pread(descriptor, &version, 1, 18) == 1 && version == 2
    }

    /// Whether a journal is there that the next reader would roll back. Its header is zero where it is not needed any more.
    private static func isHot(_ path: String) -> Bool {
        ((try? FolderListing.contents(of: path + "-journal", limit: 1))?.first ?? 0) != 0
    }

    private static func lock(_ descriptor: Int32, _ kind: Int32, _ range: (start: off_t, count: off_t)) throws
    {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(kind), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (range.start, range.count)
        guard fcntl(descriptor, setLock, &lock) != 0 else { return }
        throw errno == EAGAIN || errno == EACCES
            ? Obstacle.isWritten : Obstacle.cannotBeLocked(FolderListing.describe(errno))
    }

    /// F_OFD_SETLK, which Glibc's header only shows with _GNU_SOURCE.
    #if canImport(Darwin)
    private static let setLock = Int32(90)
    #else
    private static let setLock = Int32(37)
    #endif
}
