import DrydockFiles
import DrydockFindings
import DrydockReplay

/// The path of a lock, and how it names files.
package struct LockPlace: Sendable {
    let path: String
    private let folder: String
    private let root: [Substring]

    init(_ path: String) {
        self.path = path
        folder = PathParts.folder(of: path)
        root = Self.parts(folder)
    }

    /// Returns the lock's name for a file or folder, which does not depend on the working folder.
    package func name(of file: String) -> String {
        let parts = Self.parts(file)
        let shared = zip(root, parts).prefix { $0 == $1 }.count
        let steps = Array(repeating: "..", count: root.count - shared) + parts[shared...]
        return steps.isEmpty ? "." : steps.joined(separator: "/")
    }

    /// Returns the path of a file that the lock names.
    package func file(_ name: String) -> String {
        folder == "." || name.hasPrefix("/") ? name : folder + "/" + name
    }

    /// Returns the path relative to the working folder, as messages show it.
    func shown(_ name: String) -> String {
        let file = file(name)
        return file.hasPrefix("/") ? file : LockPlace("").name(of: file)
    }

    /// Returns the parts of an absolute path with the links in its folders resolved; the last part may be missing.
    private static func parts(_ path: String) -> [Substring] {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        guard let slash = trimmed.lastIndex(of: "/") else {
            let isHere = trimmed == "." || trimmed == ".."
            return isHere
                ? FolderListing.realPath(String(trimmed)).split(separator: "/")
                : FolderListing.realPath(".").split(separator: "/") + [trimmed]
        }
        let name = trimmed[trimmed.index(after: slash)...]
        if name == "." || name == ".." {
            return FolderListing.realPath(String(trimmed)).split(separator: "/")
        }
        let parent = trimmed[..<slash]
        return FolderListing.realPath(parent.isEmpty ? "/" : String(parent)).split(separator: "/")
            + (name.isEmpty ? [] : [name])
    }
}
