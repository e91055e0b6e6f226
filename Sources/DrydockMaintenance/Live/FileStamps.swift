import DrydockFiles
import Foundation
import OverlayVFS

/// What shows that nobody wrote a database's files.
package struct FileStamps: Equatable {
    private let stamps: [FileStamp?]

    package init(_ path: String) { stamps = Sidecar.content.map { FileStamp(path + $0) } }

    /// Longer than the resolution of any file system's times.
    static let tick = Duration.milliseconds(20)

    /// Whether a later write would change the times: the files were not written just before.
    var isTimely: Bool {
        let latest = stamps.compactMap { $0?.modifiedSeconds }.max()
        return latest.map { Date().timeIntervalSince1970 - $0 > Self.tick.inSeconds } ?? true
    }
}
