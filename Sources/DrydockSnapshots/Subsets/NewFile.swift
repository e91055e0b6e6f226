import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import Foundation
import OverlayVFS

/// A file that must not exist before it is whole.
enum NewFile {
    /// - Throws: ``RequestError`` if there is something with that name, or no folder for it.
    static func check(_ output: String) throws {
        if FolderListing.isEntry(output) {
            throw RequestError(.notWritable, "'\(output)' already exists; name a file that does not, with -o")
        }
        if let reason = nameFault(PathParts.name(of: output)) {
            throw RequestError(.notWritable, "'\(output)' \(reason); name another file with -o")
        }
        let folder = PathParts.folder(of: output)
        guard FolderListing.isFolder(folder) else {
            throw RequestError(
                .notWritable, "there is no folder '\(folder)' for '\(output)'; create it first")
        }
        for suffix in Sidecar.family.dropFirst() where FolderListing.isEntry(output + suffix) {
            throw RequestError(
                .notWritable,
                "'\(output + suffix)' would count as part of '\(output)'; name another file with -o"
            )
        }
    }

    /// Why a database cannot have a name: others would take it for something else.
    private static func nameFault(_ name: String) -> String? {
        if Sidecar.isSidecar(name) { return "would count as part of another database" }
        if name.hasPrefix(".") { return "is hidden, so no command would find it" }
        let ending = [".sql", ".gz", ".zst", ".json", ".yml"].first { name.foldedASCII.hasSuffix($0) }
        return ending.map { "ends in \($0), as no database does" }
    }

    /// Makes the hidden file that gets the name at last.
    static func begin(_ output: String) throws -> TemporaryCopy {
        try TemporaryCopy(
            of: output, in: PathParts.folder(of: output), mark: TemporaryCopy.snapshotMark, isPrivate: true)
    }

    /// Writes a database.
    /// - Returns: Its size in bytes.
    static func write(_ image: Image, to output: String) throws -> Int {
        let file = try begin(output)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        for offset in stride(from: 0, to: image.byteCount, by: buffer.count) {
            let count = min(buffer.count, image.byteCount - offset)
            let outcome = buffer.withUnsafeMutableBytes { bytes in
                Result {
                    try image.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), at: offset)
                    var done = 0
                    while done < count {
                        let step = pwrite(
                            file.descriptor, bytes.baseAddress?.advanced(by: done), count - done,
                            off_t(offset + done))
                        guard step > 0 || errno == EINTR else { throw error(output) }
                        done += max(0, step)
                    }
                }
            }
            try outcome.get()
        }
        try finish(file, as: output)
        return image.byteCount
    }

    /// Syncs the file and gives it its name, unless that exists.
    static func finish(_ file: TemporaryCopy, as output: String) throws {
        guard fsync(file.descriptor) == 0 else { throw error(output) }
        try file.keep(as: output)
        let folder = open(PathParts.folder(of: output), O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = fsync(folder)
        close(folder)
    }

    private static func error(_ output: String) -> RequestError {
        let code = errno
        return RequestError(
            .writing(code),
            "'\(output)' cannot be written: \(FolderListing.describe(code)). Nothing is left of it")
    }
}
