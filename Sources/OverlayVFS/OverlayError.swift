#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The reason why an overlay could not be created, or why what was read through it cannot be relied on.
package enum OverlayError: Error, Equatable, Sendable {
    /// The file does not exist, or no longer exists.
    case missing(path: String)
    /// The file exists but the system refuses to read it.
    case unreadable(path: String, errno: Int32)
    /// The name is that of a directory, pipe, device or socket, not of a database file.
    case notARegularFile(path: String)
    /// SQL named a file outside the folder in which it may name files.
    case outOfReach(path: String)
    /// The file was replaced or written since the overlay was opened.
    case changed(path: String)
    /// The file lost bytes, or its storage lost pages, while it was mapped.
    case shrank(path: String)
    /// Written pages beyond the memory limit could not be put into a temporary file.
    case spillFailed(directory: String, errno: Int32)
    /// More pages were written than an overlay may hold, in memory and in its temporary file together.
    case writtenTooMuch(bytes: Int)
    /// SQLite took no further virtual file system.
    case notRegistered(code: Int32)
    /// More files are mapped in this process than the fault table has room for.
    case tooManyFiles(path: String)

    /// The file that the error is about; for a failed spill, the folder.
    package var path: String {
        switch self {
        case .missing(let path), .unreadable(let path, _), .notARegularFile(let path), .outOfReach(let path),
            .changed(let path), .shrank(let path), .tooManyFiles(let path):
            path
        case .spillFailed(let directory, _): directory
        case .notRegistered, .writtenTooMuch: ""
        }
    }
}

extension OverlayError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let path):
            "\(path) does not exist. Check the path; a snapshot must stay in place while it is replayed."
        case .unreadable(let path, let errno):
            "\(path) cannot be read: \(Self.text(errno)). \(Self.remedy(unreadable: errno))"
        case .notARegularFile(let path):
            "\(path) is not a regular file. Name the database file itself."
        case .outOfReach(let path):
            "\(path) is outside the folder that Drydock runs in, and SQL may open files only there."
        case .changed(let path):
            "\(path) was changed while it was being read. Work on a copy that nobody writes, then run again."
        case .shrank(let path):
            "\(path) became shorter, or could not be read to its end, while it was being read. "
                + "Work on a copy that nobody writes, then run again."
        case .spillFailed(let directory, let errno):
            "Written pages could not be put into a temporary file in \(directory): \(Self.text(errno)). "
                + Self.remedy(spill: errno)
        case .writtenTooMuch(let bytes):
            "More than \(bytes >> 20) MB were written. The limit is --memory plus four times the size of the database: "
                + "if so much is intended, raise the limit with --memory. A statement that never ends needs another "
                + "condition instead."
        case .notRegistered(let code):
            "SQLite did not register the overlay's file system (result code \(code)). Close other "
                + "overlays, then run again."
        case .tooManyFiles(let path):
            "\(path) was not mapped: \(FaultTable.capacity) files are mapped already. "
                + "Replay fewer snapshots at once."
        }
    }

    private static func remedy(unreadable code: Int32) -> String {
        [EMFILE, ENFILE].contains(code) ? limitOnFiles : "Check its permissions and its storage."
    }

    /// Returns what to do where nothing can be put into a temporary file, by the system's error number.
    package static func remedy(spill code: Int32) -> String {
        switch code {
        case ENOENT, ENOTDIR: "Create the folder, or point TMPDIR to one that exists."
        case EACCES, EPERM, EROFS: "Point TMPDIR to a folder that can be written."
        case EMFILE, ENFILE: limitOnFiles
        case EFBIG: "Raise the limit on the size of files (ulimit -f)."
        default: "Free space there, or point TMPDIR to a folder that has room."
        }
    }

    private static let limitOnFiles = "Raise the limit on open files (ulimit -n)."

    private static func text(_ errno: Int32) -> String {
        guard let text = strerror(errno) else { return "error \(errno)" }
        return String(cString: text)
    }
}
