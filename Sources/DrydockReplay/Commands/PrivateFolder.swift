import DrydockFiles
import Foundation

/// A temporary folder that only this user can open. It is deleted with this object.
package final class PrivateFolder: Sendable {
    /// The absolute path.
    package let path: String

    /// - Parameter name: how its name begins.
    /// - Throws: ``FileFault`` if it cannot be made.
    package init(named name: String) throws {
        let root = FolderListing.realPath(FileManager.default.temporaryDirectory.path)
        var path = Array((root + "/\(name)-XXXXXX").utf8CString)
        // The folder has the permissions 0700 (mkdtemp(3)).
        guard mkdtemp(&path) != nil else {
            throw FileFault("no folder can be created in '\(root)': \(FolderListing.describe(errno))")
        }
        self.path = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        LiveCommands.add(self.path)
    }

    deinit { delete() }

    /// Deletes a folder that another process made and that ended without doing so.
    /// - Parameter name: how its name must begin.
    package static func delete(_ path: String, named name: String) {
        guard URL(fileURLWithPath: path).lastPathComponent.hasPrefix(name + "-") else { return }
        try? FileManager.default.removeItem(atPath: path)
    }

    package func delete() {
        try? FileManager.default.removeItem(atPath: path)
        LiveCommands.remove(path)
    }
}
