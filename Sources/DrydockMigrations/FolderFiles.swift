import DrydockFiles
import DrydockFindings
import Foundation
import SQLiteSchema

/// The files of a migrations folder. Names are listed at once, texts are read when needed.
public struct FolderFiles: Sendable {
    public let path: String
    /// Files of the folder itself, in natural order, without hidden ones.
    public let files: [String]
    /// Folders in the folder, in natural order.
    public let folders: [String]
    /// The bytes that an edit would give files, by path; they are read in place of the files.
    private let edited: [String: [UInt8]]
    let cache: FileCache

    /// - Throws: ``RequestError`` if there is no such folder or it cannot be read.
    public init(_ path: String) throws { try self.init(path, edited: [:]) }

    init(_ path: String, edited: [String: [UInt8]], cache: FileCache = FileCache()) throws {
        self.edited = edited
        self.cache = cache
        let listed = try FolderListing.files(in: path)
        // An editor shows a new file before it is written.
        let unwritten = edited.keys.filter {
            PathParts.folder(of: $0) == path && !PathParts.name(of: $0).hasPrefix(".")
        }.map(PathParts.name)
        let names = Set(listed).union(unwritten).sorted(by: naturallyPrecedes)
        self.path = path
        folders = names.filter { FolderListing.isFolder(path + "/" + $0) }
        let isFolder = Set(folders)
        files = names.filter { !isFolder.contains($0) }
    }

    /// Returns the path of a file in the folder.
    public func file(_ name: String) -> String { path + "/" + name }

    /// - Throws: ``FileFault`` with the reason in words.
    func contents(of path: String) throws -> [UInt8] {
        try edited[path] ?? cache.contents(of: path)
    }

    /// Returns the source of a file that holds these bytes and was found to be text.
    func checkedSource(of path: String, _ bytes: [UInt8]) -> SQLSource? {
        cache.checkedSource(of: path, bytes)
    }

    func note(checked source: SQLSource) { cache.note(checked: source) }

    public func exists(_ name: String) -> Bool { FolderListing.exists(file(name)) }

    /// Returns the files with a name that matches.
    func files(matching pattern: some RegexComponent) -> [String] {
        files.filter { $0.wholeMatch(of: pattern) != nil }
    }

    var sqlFiles: [String] { files.filter { $0.lowercased().hasSuffix(".sql") } }

    /// Returns a file's text; nil if it cannot be read as text.
    func text(_ name: String) -> String? {
        guard let bytes = try? contents(of: file(name)) else { return nil }
        let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        return String(validating: isMarked ? bytes[3...] : bytes[...], as: UTF8.self)
    }

    /// Returns the first line of any of these files for which a closure is true, as FILE:LINE.
    func firstLine(in names: [String], where isIt: (Substring) -> Bool) -> String? {
        for name in names {
            guard let text = text(name) else { continue }
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            for (index, line) in lines.enumerated()
            where isIt(line) {
                return "\(file(name)):\(index + 1)"
            }
        }
        return nil
    }
}

extension FolderFiles {
    /// Returns the files of the folder and of the folders in it, as paths relative to it, in natural order.
    func descendants(depth: Int = 8) -> [String] {
        guard depth > 0 else { return files }
        let deeper = folders.flatMap { name in
            (try? FolderFiles(file(name)))?.descendants(depth: depth - 1).map { name + "/" + $0 } ?? []
        }
        return (files + deeper).sorted(by: naturallyPrecedes)
    }
}
