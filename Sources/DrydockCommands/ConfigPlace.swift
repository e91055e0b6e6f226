import Drydock
import Foundation

/// Where drydock.yml is: in the working folder, or the nearest above it in the same project.
enum ConfigPlace {
    /// Returns its path, relative to the working folder; nil if there is none.
    static func find() -> String? {
        for (level, folder) in ProjectFolders.upwards(from: ".").enumerated() {
            let path = folder + "/" + ConfigFile.defaultPath
            guard isThere(path) else { continue }
            guard level > 0 else { return ConfigFile.defaultPath }
            // It may name files to be written, so another user's file in a shared folder such as /tmp is not read.
            guard isTrusted(path, from: ".") else { continue }
            return ProjectFolders.relative(levels: level) + "/" + ConfigFile.defaultPath
        }
        return nil
    }

    /// Returns the absolute path of the nearest one in a folder or above it, in the same project; nil if there is none.
    static func find(above folder: String) -> String? {
        ProjectFolders.upwards(from: folder).lazy.map { $0 + "/" + ConfigFile.defaultPath }
            .first { isThere($0) && isTrusted($0, from: folder) }
    }

    /// Whether there is such a file, or a link, even if it leads to nothing: that is an error, and not a project without
    /// settings.
    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether a file is this user's, the system's, or that of the owner of the folder that one works in.
    private static func isTrusted(_ path: String, from folder: String) -> Bool {
        var (file, here) = (stat(), stat())
        guard stat(path, &file) == 0 || lstat(path, &file) == 0, stat(folder, &here) == 0 else {
            return false
        }
        return [0, geteuid(), here.st_uid].contains(file.st_uid)
    }
}
