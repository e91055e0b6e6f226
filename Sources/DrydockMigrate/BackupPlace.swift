import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import Foundation
import OverlayVFS

/// The folder and name for the copies of a database: for the backup, which is kept, or for a copy that is not.
package struct BackupPlace: Sendable {
    /// The folder in which the copy is made.
    let folder: String
    /// The name of the backup, without version and time unless it is exact; nil if none is kept.
    private let name: String?
    private let isExact: Bool

    /// - Throws: ``RequestError`` if the folder cannot be written, or the named file exists.
    init(_ request: MigrateRequest) throws {
        let database = realPath(of: request.path)
        let beside = PathParts.folder(of: database)
        let keeps = request.mode == .apply && request.backup != MigrateRequest.Backup.none
        (name, isExact, folder) =
            switch keeps ? request.backup ?? .folder(beside) : .none {
            case .none:
                (nil, false, request.temporaryFolder ?? Self.temporaryFolder)
            case .folder(let folder):
                (folder + "/" + PathParts.name(of: database), false, folder)
            case .path(let path):
                (path, true, PathParts.folder(of: path))
            }
        guard FolderListing.isFolder(folder) else {
            throw RequestError(.notFound, "there is no folder '\(folder)'")
        }
        if let obstacle = DiskSpace.writeObstacle(folder) {
            throw RequestError(
                .notWritable,
                "\(folder) \(obstacle); name another folder with "
                    + (keeps ? "--backup-folder" : "--temporary-folder"))
        }
        if isExact, let name { try Self.checkIsFree(name, for: database) }
    }

    /// - Throws: ``RequestError`` if a name is taken, by a link to nothing too.
    private static func checkIsFree(_ name: String, for database: String) throws {
        var (taken, own) = (stat(), stat())
        guard lstat(name, &taken) == 0 else { return }
        let isOther =
            taken.st_mode & S_IFMT == S_IFREG && stat(database, &own) == 0
            && (taken.st_dev != own.st_dev || taken.st_ino != own.st_ino)
        let hasLog = (try? FolderListing.size(of: database + "-wal")).map { $0 > 0 } ?? false
        // What a killed run leaves: it made its backup, and migrated nothing.
        let isSame =
            isOther && !hasLog && taken.st_size == own.st_size
            && FileManager.default.contentsEqual(atPath: name, andPath: database)
        throw RequestError(
            .notWritable,
            "'\(name)' already exists, and a backup overwrites nothing; "
                + (isSame
                    ? "it is byte for byte the same as \(database); a run that was killed before it migrated "
                        + "anything leaves such a backup: rename it, or name a new file"
                    : "name a new file"))
    }

    /// How the names of backups end.
    package static let ending = ".backup"

    /// Whether a file has the name of a backup, NAME.VERSION-TIME.backup, or of a copy that a run works on.
    package static func isOurs(_ path: String) -> Bool {
        let name = PathParts.name(of: path)
        // The ending is quickly seen, and hardly any name has it.
        return TemporaryCopy.isCopy(name)
            || name.hasSuffix(ending)
                && name.contains(/\.[A-Za-z0-9._-]{1,60}-\d{8}T\d{6}Z(-\d+)?\.backup$/)
    }

    /// Removes the copies that killed runs left in any of the folders that a run would use.
    static func removeLeftOvers(_ request: MigrateRequest) {
        var folders = [
            PathParts.folder(of: realPath(of: request.path)), request.temporaryFolder ?? temporaryFolder,
        ]
        switch request.backup {
        case .folder(let folder)?: folders.append(folder)
        case .path(let path)?: folders.append(PathParts.folder(of: path))
        case .some(.none), nil: break
        }
        for folder in folders {
            TemporaryCopy.removeLeftOvers(in: folder)
        }
    }

    /// Moves a copy to where the backup belongs, under a name with the version and the time.
    /// - Throws: ``RequestError`` if it cannot, ``OverlayError``.
    func keep(_ rehearsal: inout Rehearsal) throws -> String? {
        guard let name else { return nil }
        try update(&rehearsal)
        let (copy, version) = (rehearsal.copy, rehearsal.version)
        if isExact {
            try copy.keepDurably(as: name)
            return name
        }
        let safe = version.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "_" }
        let cut = String(decoding: name.utf8.prefix(name.utf8.count - Self.excess(name)), as: UTF8.self)
        let stem = "\(cut).\(String(safe.prefix(60)))-\(Self.time())"
        for number in 1...100 {
            let path = stem + (number == 1 ? "" : "-\(number)") + Self.ending
            if !FolderListing.exists(path) {
                try copy.keepDurably(as: path)
                return path
            }
        }
        throw RequestError(.notWritable, "there are too many backups named \(stem); name one with --backup")
    }

    /// Gives the copy's file, if it is kept, the content that was rehearsed on, which is a layer over it. What earlier
    /// rehearsals have of it is then no longer valid.
    /// - Throws: ``RequestError``, ``OverlayError``.
    func update(_ rehearsal: inout Rehearsal) throws {
        guard name != nil, let base = rehearsal.base, rehearsal.isLater else { return }
        try rehearsal.copy.update(with: base, since: rehearsal.written)
        rehearsal.written = base
    }

    /// Returns by how many bytes a name must be cut: it may have at most 255, and the version and the time need some.
    private static func excess(_ path: String) -> Int {
        max(0, (path.utf8.split(separator: UInt8(ascii: "/")).last?.count ?? 0) - 150)
    }

    /// Returns the current time in UTC, such as `20241121T101500Z`.
    private static func time() -> String {
        var seconds = time_t(Date().timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
            + "T\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
    }

    static var temporaryFolder: String {
        let named = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        return named.isEmpty ? "/tmp" : named
    }
}
