import DrydockFiles
import Foundation
import OverlayVFS

/// What shows, without a connection, that a database's file, its log or its users have changed.
///
/// A connection that stays open would be noticed: the program that closes the database last could then not remove its
/// write-ahead log, and VACUUM and exclusive locks would meet another user.
struct FileMark: Equatable {
    /// The file that has the name; nil if none has.
    let identity: Identity?
    let state: LiveState
    /// A number that grows by one with each commit.
    let commits: Commits?
    private let stamps: FileStamps

    struct Identity: Equatable {
        var device, inode: UInt64
    }

    init(_ path: String) {
        identity = Identity(path)
        let real = realPath(of: path)
        state = LiveState(real)
        stamps = FileStamps(real)
        commits = Commits(real, state)
    }
}

extension FileMark.Identity {
    fileprivate init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
}

/// The counter of commits of a database file.
struct Commits: Equatable {
    /// Whether it is that of the log's index, which has nothing to do with the file's.
    private let isOfLog: Bool
    private let count: UInt32

    /// - Returns: Nil if there is none: a log without shared memory is only for one process.
    fileprivate init?(_ path: String, _ state: LiveState) {
        isOfLog = state.usesLog
        // "iChange" of the index (https://www.sqlite.org/walformat.html#walidxfmt) is in the machine's byte order, the
        // file's "change counter" (https://www.sqlite.org/fileformat.html#file_change_counter) is big-endian.
        let (file, offset) = isOfLog ? (path + Sidecar.sharedMemory, 8) : (path, 24)
        guard let bytes = try? FolderListing.contents(of: file, limit: offset + 4), bytes.count == offset + 4
        else { return nil }
        let number = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        count = isOfLog ? number : UInt32(bigEndian: number)
    }

    /// Returns how many commits there were since an earlier count; nil if the two are different counters.
    func since(_ earlier: Commits) -> Int? {
        guard isOfLog == earlier.isOfLog else { return nil }
        let difference = count &- earlier.count
        // A counter that went back was made again.
        return difference < 1 << 31 ? Int(difference) : nil
    }
}
