/// The files of the disk that SQL on an overlay may name, with ATTACH say, beside those that the overlay was made of.
///
/// A migration or a dump may come from a stranger, and what an attached file holds could end in a report.
package enum FileReach: Sendable, Equatable {
    /// Any file, for SQL of the program's own.
    case anywhere
    /// Files below a folder. Links are followed first, so that none leads out of it.
    case folder(String)

    /// Files below the folder that the process works in; none where that is the root of the file system.
    package static var workingFolder: FileReach { .folder(".") }

    /// - Parameter path: with links followed, see ``FilePath/resolved``.
    func covers(_ path: FilePath) -> Bool {
        switch self {
        case .anywhere: return true
        case .folder(let name):
            let folder = FilePath(name).resolved.bytes
            let slash = CChar(bitPattern: UInt8(ascii: "/"))
            return folder.count > 1 && path.bytes.starts(with: folder + [slash])
        }
    }
}
