/// The files on the disk that SQL on an overlay may name, for example with ATTACH, besides those of the
/// overlay itself.
///
/// A migration or a dump may come from a stranger, and the contents of an attached file could end up in a
/// report.
package enum FileReach: Sendable, Equatable {
    /// Any file: for the program's own SQL.
    case anywhere
    /// Files below a folder. Links are followed first, so that none leads out of the folder.
    case folder(String)

    /// Files below the process's working folder; none if that is the root of the file system.
    package static var workingFolder: FileReach { .folder(".") }

    /// - Parameter path: a path with links followed, see ``FilePath/resolved``.
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
