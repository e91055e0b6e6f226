import DrydockFiles
import DrydockFindings
import Foundation

/// The folders of a project from one of its folders upwards.
package enum ProjectFolders {
    /// Returns the folder and those above it up to the project's root, as absolute paths: the root of a Git repository,
    /// the user's home folder, or that of the file system.
    package static func upwards(from folder: String, home: String? = nil) -> [String] {
        let home = FolderListing.realPath(home ?? Self.home)
        var folders: [String] = []
        var next = FolderListing.realPath(folder)
        while next.hasPrefix("/"), folders.count < 64 {
            folders.append(next)
            if next == "/" || next == home || FolderListing.exists(next + "/.git") { break }
            next = PathParts.folder(of: next)
        }
        return folders
    }

    private static var home: String {
        ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()
    }

    /// Returns the path of the folder that is so many levels above the working folder, relative to it; empty for the
    /// working folder.
    package static func relative(levels: Int) -> String {
        Array(repeating: "..", count: levels).joined(separator: "/")
    }

    /// Returns an absolute path as messages show it: relative to the working folder if it is in it.
    package static func shown(_ path: String) -> String {
        let here = FolderListing.realPath(".")
        guard path.hasPrefix(here + "/") else { return path }
        return String(path.dropFirst(here.count + 1))
    }

    /// Returns a path in a folder; an absolute path stays as it is.
    package static func path(_ path: String, in folder: String) -> String {
        folder.isEmpty || folder == "." || path.hasPrefix("/")
            ? path : path == "." ? folder : folder + "/" + path
    }
}
