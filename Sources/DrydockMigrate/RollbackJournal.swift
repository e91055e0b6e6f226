import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import Foundation
import OverlayVFS

/// A rollback journal as SQLite writes it, with the old content of the pages that are to be written.
///
/// Between ``init(of:delta:)`` and ``commit(didEnd:sync:)`` it makes the writes one transaction: if this process is
/// killed, the next program that opens the database finds the journal hot and rolls back what was written
/// (https://www.sqlite.org/fileformat2.html#the_rollback_journal, https://www.sqlite.org/atomiccommit.html).
///
///     offset  size
///     0       8     d9 d5 05 f9 20 a1 63 d7
///     8       4     number of records
///     12      4     a random number, the initial value of each record's checksum
///     16      4     number of pages that the database had
///     20      4     size of a sector, which this header fills
///     24      4     size of a page
///
/// The records follow: the page's number, its content, and the sum of every 200th byte of it from the end.
/// All numbers are big-endian.
struct RollbackJournal {
    private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    private static let sector = 512

    private let path: String

    /// Writes the journal and syncs it. The caller must have the exclusive lock on the database.
    /// - Parameter database: The path, with links resolved.
    /// - Throws: ``RequestError``, ``OverlayError``; there is then no journal.
    init(of database: String, delta: PageDelta) throws {
        path = database + Sidecar.journal
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        defer { close(descriptor) }
        do {
            try Self.inherit(descriptor, from: database)
            try Self.write(delta, to: descriptor, path)
            try Self.syncFolder(of: path)
        } catch {
            // The database has not been written.
            unlink(path)
            throw error
        }
    }

    /// Ends the transaction: "the transaction commits when the journal is deleted".
    /// - Parameters:
    ///   - didEnd: Called once it has ended, even if something fails afterwards.
    ///   - sync: Syncs the folder of a file.
    /// - Returns: Whether the deletion is synced; if not, a power loss may still undo the whole transaction.
    /// - Throws: ``RequestError``; the journal then still exists.
    func commit(
        didEnd: () -> Void = {}, sync: (_ path: String) throws -> Void = RollbackJournal.syncFolder
    ) throws -> Bool {
        guard unlink(path) == 0 else { throw Self.failure(path, errno) }
        didEnd()
        do { try sync(path) } catch { return false }
        return true
    }

    /// Syncs an emptied log: if its frames came back after a power loss, they would be read in place of the pages.
    /// SQLite holds no lock on the log, so closing a descriptor of it drops none.
    /// - Throws: ``RequestError`` if it cannot be synced.
    static func syncLog(of database: String) throws {
        let log = database + Sidecar.log
        let descriptor = open(log, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0, errno == ENOENT { return }
        guard descriptor >= 0 else { throw failure(log, errno) }
        defer { close(descriptor) }
        guard sync(descriptor) else { throw failure(log, errno) }
    }

    /// Gives the journal the database's permissions: whoever may open the database must be able to roll the journal
    /// back.
    private static func inherit(_ descriptor: Int32, from database: String) throws {
        var status = stat()
        guard stat(database, &status) == 0, fchmod(descriptor, status.st_mode & 0o777) == 0 else {
            throw failure(database + Sidecar.journal, errno)
        }
        if geteuid() == 0 { _ = fchown(descriptor, status.st_uid, status.st_gid) }
    }

    private static func write(_ delta: PageDelta, to descriptor: Int32, _ path: String) throws {
        // The journal must begin with zeros until it is complete, whatever an earlier journal left.
        guard ftruncate(descriptor, 0) == 0 else { throw failure(path, errno) }
        let nonce = UInt32.random(in: .min ... .max)
        var (offset, buffer) = (sector, [UInt8]())
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: delta.pageSize, alignment: 16)
        defer { page.deallocate() }
        func flush() throws {
            try put(buffer, at: offset, descriptor, path)
            offset += buffer.count
            buffer.removeAll(keepingCapacity: true)
        }
        for number in delta.kept {
            try delta.before.read(into: page, at: (Int(number) - 1) * delta.pageSize)
            buffer += bytes(number)
            buffer += page
            buffer += bytes(checksum(page, nonce))
            if buffer.count > 1 << 20 { try flush() }
        }
        try flush()
        try delta.before.checkIntact()
        guard sync(descriptor) else { throw failure(path, errno) }
        let pageCount = UInt32(delta.before.byteCount / delta.pageSize)
        var header = magic + bytes(UInt32(delta.kept.count)) + bytes(nonce) + bytes(pageCount)
        header += bytes(UInt32(sector)) + bytes(UInt32(delta.pageSize))
        header += [UInt8](repeating: 0, count: sector - header.count)
        try put(header, at: 0, descriptor, path)
        guard sync(descriptor) else { throw failure(path, errno) }
    }

    private static func checksum(_ page: UnsafeMutableRawBufferPointer, _ nonce: UInt32) -> UInt32 {
        var sum = nonce
        for index in stride(from: page.count - 200, to: 0, by: -200) { sum &+= UInt32(page[index]) }
        return sum
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }

    private static func put(_ bytes: [UInt8], at offset: Int, _ descriptor: Int32, _ path: String) throws {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(
                    descriptor, $0.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path, count < 0 ? errno : EIO) }
            done += count
        }
    }

    private static func sync(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        // On Darwin fsync leaves the write to the drive (fsync(2)).
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }

    static func syncFolder(of path: String) throws {
        let folder = open(PathParts.folder(of: path), O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { throw failure(path, errno) }
        defer { close(folder) }
        // Some file systems cannot sync a folder.
        guard fsync(folder) == 0 || [EINVAL, ENOTSUP].contains(errno) else { throw failure(path, errno) }
    }

    private static func failure(_ path: String, _ code: Int32) -> RequestError {
        let reason = FolderListing.describe(code)
        return RequestError(
            .writing(code),
            "\(path) cannot be written: \(reason); the database is unchanged")
    }
}
