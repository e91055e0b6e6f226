import Drydock
import Foundation

/// Finds the files that a test names, in any working folder: a package's tests run in the package's root, Xcode's do
/// not.
struct TestFiles {
    let site: CallSite

    /// Names that mark the root of a package or repository, where the search ends.
    private static let roots = ["Package.swift", ".git"]

    /// Finds a file or folder: an absolute path as given; a relative one beside the calling file, then in each folder
    /// above it up to the root of the package.
    /// - Returns: The path, or nil if it does not exist.
    func find(_ name: String) -> String? {
        candidates(name).first { FileManager.default.fileExists(atPath: $0) }
    }

    /// Returns the path for a new file: in the folder that the name includes, otherwise beside the calling file.
    func place(_ name: String) -> String {
        let url = URL(fileURLWithPath: name)
        guard !name.hasPrefix("/"), name.contains("/") else { return candidates(name)[0] }
        let folder = String(name.dropLast(url.lastPathComponent.count + 1))
        return (find(folder) ?? candidates(folder)[0]) + "/" + url.lastPathComponent
    }

    /// Returns the paths to try, the nearest first.
    private func candidates(_ name: String) -> [String] {
        guard !name.hasPrefix("/") else { return [name] }
        var folder = URL(fileURLWithPath: site.path).deletingLastPathComponent()
        var found: [String] = []
        while true {
            found.append(folder.appending(path: name).path)
            let isRoot = Self.roots.contains {
                FileManager.default.fileExists(atPath: folder.appending(path: $0).path)
            }
            guard !isRoot, folder.path != "/" else { return found }
            folder.deleteLastPathComponent()
        }
    }
}
