import DatabaseEngine
import DrydockFiles
import OverlayVFS

/// How programs leave the rollback journal of a database, judged by the file beside it: a connection in another mode
/// would leave it differently (https://www.sqlite.org/pragma.html#pragma_journal_mode).
enum JournalModeGuess: Equatable {
    /// There is no journal, or one that is not of a finished transaction.
    case deleted
    /// "The TRUNCATE journaling mode commits transactions by truncating the rollback journal to zero-length."
    case truncated
    /// "The header of the journal is overwritten with zeros."
    case persistent(size: Int)

    init(_ database: String) {
        let path = database + Sidecar.journal
        guard let size = try? FolderListing.size(of: path) else {
            self = .deleted
            return
        }
        if size == 0 {
            self = .truncated
        } else if let head = try? FolderListing.contents(of: path, limit: 28), head.allSatisfy({ $0 == 0 }) {
            self = .persistent(size: size)
        } else {
            self = .deleted
        }
    }

    /// Makes a connection leave the journal the same way, and no larger.
    func adopt(_ connection: any Connection) throws {
        switch self {
        case .deleted: break
        case .truncated: try connection.forEachRow("PRAGMA main.journal_mode = TRUNCATE") { _ in }
        case .persistent(let size):
            try connection.forEachRow("PRAGMA main.journal_mode = PERSIST") { _ in }
            try connection.forEachRow("PRAGMA main.journal_size_limit = \(size)") { _ in }
        }
    }
}
