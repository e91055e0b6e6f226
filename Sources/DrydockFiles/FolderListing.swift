import DrydockFindings
import Foundation
import Synchronization

/// A reader of folders and files, with errors that say what is wrong in words.
package enum FolderListing {
    /// Returns the names in a folder, without hidden ones unless `withHidden` is set.
    /// - Throws: ``RequestError`` if there is no such folder or it cannot be read.
    package static func files(in folder: String, withHidden: Bool = false) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
            throw RequestError(.notFound, "there is no folder '\(folder)'")
        }
        guard isFolder.boolValue else {
            throw RequestError(.unreadable, "'\(folder)' is a file, not a folder")
        }
        guard access(folder, R_OK | X_OK) == 0 else {
            throw RequestError(.unreadable, "the folder '\(folder)' cannot be read: \(describe(errno))")
        }
        guard let entries = entries(in: folder) else {
            throw RequestError(.unreadable, "the folder '\(folder)' cannot be read: \(describe(errno))")
        }
        return entries.map(\.name).filter { withHidden || !$0.hasPrefix(".") }
    }

    /// Returns the bytes of a regular file.
    /// - Throws: ``FileFault`` with the reason in words.
    package static func contents(of path: String, limit: Int = .max) throws -> [UInt8] {
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFault(code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFault(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileFault(
                status.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : "it is not a regular file")
        }
        var bytes: [UInt8] = []
        var count = 0
        repeat {
            let room = min(1 << 16, limit - bytes.count)
            bytes += [UInt8](unsafeUninitializedCapacity: room) { chunk, initialized in
                count = read(descriptor, chunk.baseAddress, room)
                initialized = max(0, count)
            }
            if count < 0 { throw FileFault(describe(errno)) }
        } while count > 0 && bytes.count < limit
        return bytes
    }

    /// Whether an error number says that the system opens no more files.
    static func isOfLimit(_ code: Int32) -> Bool { [EMFILE, ENFILE].contains(code) }

    /// How often a folder was not opened because too many files were open.
    private static let refusals = Atomic(0)

    /// Notes why a folder was not opened.
    package static func note(_ code: Int32) {
        if isOfLimit(code) { refusals.add(1, ordering: .relaxed) }
    }

    /// Returns what a search finds in a folder. Where too many files were open meanwhile it has no result, since whatever
    /// is there would seem to be missing.
    /// - Throws: ``RequestError``; what the search throws.
    package static func searching<Found>(_ folder: String, _ search: () throws -> Found) throws -> Found {
        let before = refusals.load(ordering: .relaxed)
        let found = Result { try search() }
        guard refusals.load(ordering: .relaxed) == before else {
            throw RequestError(.limitReached, "the folder '\(folder)' cannot be read: \(describe(EMFILE))")
        }
        return try found.get()
    }

    package static func describe(_ code: Int32) -> String {
        switch code {
        case EACCES: "permission denied"
        case EFBIG: "the file cannot grow: raise the limit on the size of files (ulimit -f)"
        case EDQUOT: "the file cannot grow: the disk quota is used up; free space, or have it raised"
        case EMFILE, ENFILE: "too many files are open: raise the limit on open files (ulimit -n)"
        case ENOSPC: "the disk is full: free space"
        default: String(cString: strerror(code)).lowercased()
        }
    }
}

extension FolderListing {
    /// Returns what is behind an error of Foundation, which by itself may only say that something failed.
    package static func describe(_ error: any Error) -> String {
        let error = error as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return cause.domain == NSPOSIXErrorDomain
            ? describe(Int32(cause.code)) : error.localizedDescription
    }
}

/// Why a file cannot be read.
package struct FileFault: Error, CustomStringConvertible {
    package var description: String
    /// Whether the system opens no more files: that says nothing about the file.
    package var isOfLimit = false

    package init(_ description: String) {
        self.description = description
    }

    /// - Parameter code: the system's error number.
    package init(code: Int32) {
        self.init(FolderListing.describe(code))
        isOfLimit = FolderListing.isOfLimit(code)
    }
}

extension FolderListing {
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns whether a path is a device, a pipe or a socket, which has no size and may never end when read. The
    /// same is true of files that the kernel generates when they are read, such as those of `/proc`: they claim to be
    /// regular and empty, and yet return bytes or cannot be read at all.
    package static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFREG else { return status.st_mode & S_IFMT != S_IFDIR }
        guard status.st_size == 0 else { return false }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        // Whatever reads the file reports that it cannot be opened.
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        guard read(descriptor, &byte, 1) != 0 else { return false }
        // Another process may have written to it meanwhile.
        return fstat(descriptor, &status) != 0 || status.st_size == 0
    }

    package static func size(of path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileFault(describe(errno)) }
        return Int(status.st_size)
    }
}

extension FolderListing {
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }

    /// Returns whether a folder has an entry of this name, also if it is a link to what does not exist.
    package static func isEntry(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}

extension FolderListing {
    /// Returns the path with links resolved; unchanged if nothing exists there, or the name there is not valid UTF-8.
    package static func realPath(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(validatingCString: resolved) ?? path
    }

    /// Returns what two names of one file have in common, also where they are hard links.
    ///
    /// SQLite keeps its journals beside the name by which it opened the file, so that a name with a journal of its own may
    /// mean other rows; such a name stands for itself.
    package static func identity(of path: String) -> [UInt8] {
        let real = realPath(path)
        var status = stat()
        guard stat(real, &status) == 0, status.st_nlink > 1, status.st_mode & S_IFMT == S_IFREG,
            !["-wal", "-journal"].contains(where: { isEntry(real + $0) })
        else { return Array(real.utf8) }
        return [0] + Array("\(status.st_dev),\(status.st_ino)".utf8)
    }

    /// Returns what is said where a file is missing, or has a name that is not valid UTF-8.
    package static func missing(_ kind: String, _ path: String) -> String {
        ByteName.isIn(path)
            ? ByteName.fault(of: path) : nameFault(path) ?? "there is no \(kind) '\(path)'"
    }
}

extension FolderListing {
    /// Refuses two files whose names differ only in how Unicode writes a letter, such as é as one character or as two:
    /// Swift takes them for equal, so that one would hide the other.
    /// - Throws: ``RequestError`` that names both.
    package static func refuseLookAlikes(_ paths: [String]) throws {
        var known: [String: String] = [:]
        for path in paths {
            guard let other = known.updateValue(path, forKey: path), !other.utf8.elementsEqual(path.utf8)
            else {
                continue
            }
            let names = [other, path].map { path in
                "'" + path.unicodeScalars.map { $0.isASCII ? "\($0)" : $0.escaped(asASCII: true) }.joined()
                    + "'"
            }
            throw RequestError(
                .settingInvalid,
                "\(names[0]) and \(names[1]) differ only in how Unicode writes a letter, and a report could not tell "
                    + "them apart: rename one of them, or name each in a run of its own")
        }
    }
}
