import DrydockFiles
import OverlayVFS

/// A database's rollback journal, and the process that writes it.
struct JournalStatus {
    /// The process that is about to write, or writes, using a rollback journal.
    let writer: Int32?
    /// In bytes, of the journal that a program left when it was stopped in the middle of a write; nil if there is none.
    let hotSize: Int?

    /// RESERVED_BYTE, which a writer holds from before it makes its journal until after it has deleted or cleared it.
    private static let reserved = 0x4000_0001

    /// - Parameter holder: Finds the process that holds the RESERVED lock.
    init(_ path: String, holder: (String) -> Int32? = { LockHolder.of($0, at: Self.reserved) }) {
        // "A rollback journal is hot if it is needed in order to restore the integrity of its database": its header is
        // whole, and no RESERVED lock is held (https://www.sqlite.org/lockingv3.html#hot_journals). The two cannot be
        // seen at once, so the journal is seen before the lock and after it: one whose writer ended between is gone, or
        // another with another number.
        let before = Self.header(path)
        writer = holder(path)
        hotSize =
            writer == nil && before != nil && Self.header(path) == before
            ? try? FolderListing.size(of: path + Sidecar.journal) : nil
    }

    /// The start of a journal whose header is not cleared, up to the random number that no two journals share
    /// (https://www.sqlite.org/fileformat.html#the_rollback_journal).
    private static func header(_ path: String) -> [UInt8]? {
        guard let header = try? FolderListing.contents(of: path + Sidecar.journal, limit: 16),
            header.count == 16,
            header.starts(with: [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        else { return nil }
        return header
    }
}
