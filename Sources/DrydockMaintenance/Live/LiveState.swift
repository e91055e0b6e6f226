import DrydockFiles
import Foundation
import OverlayVFS
import SQLiteFile

/// The files beside a database and the programs that have it open, found without a connection.
///
/// It opens and closes the files, which drops this process's locks (https://www.sqlite.org/howtocorrupt.html), so this
/// process must have no connection to the database meanwhile.
package struct LiveState: Sendable, Equatable {
    /// Whether the file format says write-ahead log.
    package var isLogged = false
    var logSize: Int?
    /// Whether the file's own header is damaged and the log has the valid one.
    var hasHeaderInLogAlone = false
    /// Frames of the log that SQLite does not read; only looked for by ``findLogDamage(_:)``.
    var logDamage: LogDamage?
    /// In bytes.
    var size: Int?
    var hasSharedMemory = false
    /// Whether a program has the write-ahead log's index open.
    package var isOpenElsewhere = false
    /// In bytes, of the journal that a program left when it was stopped in the middle of a write; nil if there is none.
    var hotJournalSize: Int?
    var index: LogIndex?
    /// The process that is about to write, or writes, using a rollback journal.
    var writer: Int32?

    package init(_ path: String) { self.init(resolved: realPath(of: path)) }

    /// - Parameter path: without symbolic links.
    init(resolved path: String) {
        let head = (try? FolderListing.contents(of: path, limit: 100)) ?? []
        // The read version decides (sqlite3BtreeBeginTrans in btree.c).
        isLogged = head.count == 100 && head[19] == 2
        logSize = try? FolderListing.size(of: path + Sidecar.log)
        if (logSize ?? 0) > 0 { hasHeaderInLogAlone = SnapshotFile.hasHeaderInLogAlone(path) }
        hasSharedMemory = FolderListing.exists(path + Sidecar.sharedMemory)
        if hasSharedMemory {
            isOpenElsewhere = LockHolder.of(path + Sidecar.sharedMemory, at: LogIndex.openOffset) != nil
            if isOpenElsewhere { index = LogIndex(path + Sidecar.sharedMemory) }
        }
        let journal = JournalStatus(path)
        hotJournalSize = journal.hotSize
        if !isLogged { writer = journal.writer }
        // Looked at after the files beside it, since a database that is being made has them first.
        size = try? FolderListing.size(of: path)
    }

    /// Reads the whole log for what of it SQLite would not; one that a program has open is read by its index, and may
    /// change meanwhile.
    mutating func findLogDamage(_ path: String) {
        guard (logSize ?? 0) > 0, !isOpenElsewhere,
            let log = try? MappedFile(path: realPath(of: path) + Sidecar.log),
            let bytes = log.contiguousBytes(at: 0, count: log.size)
        else { return }
        let damage = LogDamage(bytes)
        withExtendedLifetime(log) {
            // One that is being written is not judged.
            if !log.isBroken, (try? log.checkUnchanged()) != nil { logDamage = damage }
        }
    }

    /// A connection would look for a log, whatever the header says: beside a file without a byte even one that only
    /// reads deletes it, and beside any other it makes the log's index (pagerOpenWalIfPresent in pager.c).
    var usesLog: Bool { isLogged || (logSize ?? 0) > 0 }

    /// Whether a connection can read without creating or changing a file.
    var isLockable: Bool {
        usesLog ? isOpenElsewhere && logSize != nil : hotJournalSize == nil
    }
}

/// The shared memory of a write-ahead log: how many frames are written, moved to the file, and being read.
///
/// The layout is "WAL-Index File Format" (https://www.sqlite.org/walformat.html#walidxfmt), in the machine's byte
/// order.
struct LogIndex: Sendable, Equatable {
    struct Reader: Sendable, Equatable {
        /// The process that holds the lock.
        var process: Int32
        /// The last frame that the process reads.
        var frame: Int
    }

    /// Frames up to the last commit.
    var frames = 0
    /// Frames that a checkpoint has moved to the file.
    var moved = 0
    /// Readers that keep a checkpoint from moving more frames.
    var readers: [Reader] = []

    /// WAL_DMS_LOCK: every connection that has the index open holds it shared.
    static let openOffset = 128

    init?(_ path: String) {
        guard let bytes = try? FolderListing.contents(of: path, limit: 136), bytes.count == 136 else {
            return nil
        }
        func number(_ offset: Int) -> Int {
            Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) })
        }
        frames = number(16)
        moved = number(96)
        for slot in 1..<5 {
            let mark = number(100 + 4 * slot)
            // Read lock N is byte 123 + N.
            guard mark < frames, let process = LockHolder.of(path, at: 123 + slot) else { continue }
            readers.append(Reader(process: process, frame: mark))
        }
    }
}

/// The process that holds a lock.
enum LockHolder {
    /// - Returns: The other process that keeps a byte from being locked for writing, or nil.
    static func of(_ path: String, at offset: Int) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(offset)
        lock.l_len = 1
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        return lock.l_pid
    }
}
