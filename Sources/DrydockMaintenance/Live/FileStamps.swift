import DrydockFindings
import Foundation
import OverlayVFS

/// The modification times and sizes of a database's files.
struct FileStamps: Equatable {
    private let times: [Date?]
    private let sizes: [Int?]

    init(_ path: String) {
        let paths = Sidecar.content.map { path + $0 }
        times = paths.map {
            (try? FileManager.default.attributesOfItem(atPath: $0))?[.modificationDate] as? Date
        }
        sizes = paths.map { try? FolderListing.size(of: $0) }
    }

    /// Longer than the resolution of any file system's times.
    static let tick = Duration.milliseconds(20)

    /// Whether a later write would change the times: the files were not written just before.
    var isTimely: Bool {
        times.compactMap(\.self).max().map { Date().timeIntervalSince($0) > Self.tick.inSeconds } ?? true
    }
}
