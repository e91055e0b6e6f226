import DrydockFiles
import OverlayVFS

/// The header of a write-ahead log, which changes when the log is restarted. SQLite takes no lock on that file, so it
/// may be opened and closed.
package struct LogHead: Equatable {
    private let bytes: [UInt8]

    package init(_ path: String) {
        bytes = (try? FolderListing.contents(of: path + Sidecar.log, limit: 32)) ?? []
    }
}
