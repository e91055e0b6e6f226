import Drydock
import Foundation

/// Finds what a test names, whatever the working folder is: a package's tests run in its root, Xcode's do not.
struct TestFiles {
    let site: CallSite

    /// What ends the way up: the root of a package or repository.
    private static let roots = ["Package.swift", ".git"]

    /// An absolute path as it is; a relative one is looked for beside the calling file, then in each folder above
    /// it up to the root of the package.
    /// - Returns: nil where there is no such file or folder.
    func find(_ name: String) -> String? {
        candidates(name).first { FileManager.default.fileExists(atPath: $0) }
    }

    /// Where something new of this name belongs: in the folder that it names, else beside the calling file.
    func place(_ name: String) -> String {
        let url = URL(fileURLWithPath: name)
        guard !name.hasPrefix("/"), name.contains("/") else { return candidates(name)[0] }
        let folder = String(name.dropLast(url.lastPathComponent.count + 1))
        return (find(folder) ?? candidates(folder)[0]) + "/" + url.lastPathComponent
    }

    /// The nearest first.
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
