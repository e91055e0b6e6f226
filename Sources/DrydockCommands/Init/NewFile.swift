import Drydock
import Foundation

/// A file that is written only where there is none.
struct NewFile {
    let path: String
    let text: String

    /// Whether something has the name, be it a link to nothing.
    var exists: Bool { FolderListing.isEntry(path) }

    /// Checks that the file can be created, and changes nothing.
    /// - Throws: RequestError.
    func check() throws {
        var folder = PathParts.folder(of: path)
        while !FolderListing.isEntry(folder), folder != ".", folder != "/" {
            folder = PathParts.folder(of: folder)
        }
        guard FolderListing.isFolder(folder) else {
            throw RequestError(.notWritable, "'\(path)' cannot be written: '\(folder)' is not a folder")
        }
        guard access(folder, W_OK | X_OK) == 0 else { throw fault(errno) }
    }

    /// Writes the file, and the folders that it needs.
    /// - Throws: RequestError; an existing file stays as it is.
    func write() throws {
        let folder = PathParts.folder(of: path)
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw RequestError(
                .notWritable, "the folder '\(folder)' cannot be made: \(FolderListing.describe(error))")
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw fault(errno) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(text.utf8))
        } catch {
            unlink(path)
            throw RequestError(.notWritable, "'\(path)' cannot be written: \(FolderListing.describe(error))")
        }
    }

    private func fault(_ code: Int32) -> RequestError {
        RequestError(.notWritable, "'\(path)' cannot be written: \(FolderListing.describe(code))")
    }
}
