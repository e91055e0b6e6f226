import DrydockFiles
import Foundation

/// The databases of a project that its own command could open by mistake: those below its folder, and those that the
/// environment or a `.env` file names.
package struct ProjectDatabases: Sendable {
    /// The real paths, each once.
    package private(set) var paths: [String] = []
    /// Whether every folder was searched.
    package private(set) var isComplete = true

    private var seen: Set<FileNumber> = []
    private var entryCount = 0

    private struct FileNumber: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ status: stat) { (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
    }

    /// - Parameter further: paths of databases that are known already.
    package init(_ command: ProjectCommand, further: [String], environment: [String: String]) {
        let root = Self.root(of: command.folder)
        let folders = Set([root, FolderListing.realPath(command.folder)])
        for value in Self.values(environment, command, folders) {
            for path in Self.paths(in: value) {
                for folder in folders { add(ProjectFolders.path(path, in: folder)) }
            }
        }
        search(root)
        for path in further { add(path, isKnown: true) }
    }

    /// How many names are read at the most.
    private static let entryLimit = 300_000
    private static let magic = Array("SQLite format 3\0".utf8)
    /// What databases are called, also encrypted ones, which begin with other bytes.
    private static let endings = [".db", ".db3", ".sqlite", ".sqlite3", ".s3db", ".sqlitedb"]

    /// Returns the project's folder: the one above the command's that is a Git repository or has a drydock.yml.
    private static func root(of folder: String) -> String {
        let above = ProjectFolders.upwards(from: folder)
        let root = above.last { place in
            [".git", "drydock.yml"].contains { FolderListing.exists(place + "/" + $0) }
        }
        return root ?? FolderListing.realPath(folder)
    }

    // MARK: - Below a folder

    private mutating func search(_ root: String) {
        var folders = [root]
        var found: Set<FileNumber> = []
        while let folder = folders.popLast() {
            var status = stat()
            guard stat(folder, &status) == 0, found.insert(FileNumber(status)).inserted else { continue }
            for entry in FolderListing.entries(in: folder) ?? [] where entry.name != ".git" {
                entryCount += 1
                guard entryCount <= Self.entryLimit else {
                    isComplete = false
                    return
                }
                let path = folder + "/" + entry.name
                switch entry.kind {
                case .folder: folders.append(path)
                case .file: add(path)
                case .link:
                    guard FolderListing.isFolder(path) else {
                        add(path)
                        continue
                    }
                    // A link upwards leads to more than the project.
                    let target = FolderListing.realPath(path)
                    if root != target, !root.hasPrefix(target == "/" ? "/" : target + "/") {
                        folders.append(target)
                    }
                }
            }
        }
    }

    /// Adds a file if it is a database.
    private mutating func add(_ path: String, isKnown: Bool = false) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        let isCalledSo = isKnown || Self.endings.contains { path.lowercased().hasSuffix($0) }
        // A database has whole pages: few other files must be opened.
        guard isCalledSo || (status.st_size > 0 && status.st_size % 512 == 0) else { return }
        let number = FileNumber(status)
        guard !seen.contains(number) else { return }
        guard isCalledSo || (try? FolderListing.contents(of: path, limit: Self.magic.count)) == Self.magic
        else { return }
        seen.insert(number)
        paths.append(FolderListing.realPath(path))
    }

    // MARK: - In the environment

    private static func values(
        _ environment: [String: String], _ command: ProjectCommand, _ folders: Set<String>
    ) -> [String] {
        var values = Array(environment.values) + Array(command.environment.values)
        for folder in folders {
            for entry in FolderListing.entries(in: folder) ?? []
            where entry.kind != .folder && (entry.name == ".env" || entry.name.hasPrefix(".env.")) {
                let bytes = (try? FolderListing.contents(of: folder + "/" + entry.name, limit: 1 << 16)) ?? []
                for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
                    guard let sign = line.firstIndex(of: "=") else { continue }
                    values.append(String(line[line.index(after: sign)...]))
                }
            }
        }
        return values
    }

    /// Returns the paths that a value may mean: itself, and what is in a URL (`sqlite:///data/app.db?mode=rwc`) or a
    /// connection string (`Data Source=app.db;Cache=Shared`).
    package static func paths(in value: String) -> [String] {
        let trimmed = value.trimming { $0.isWhitespace || $0 == "\"" || $0 == "'" }
        guard !trimmed.isEmpty, trimmed.utf8.count < 4096, !trimmed.contains("\0") else { return [] }
        var texts = [trimmed]
        texts += trimmed.split(separator: ";").compactMap { part in
            part.firstIndex(of: "=").map { String(part[part.index(after: $0)...]) }
        }
        var paths = texts
        for text in texts {
            guard let colon = text.lastIndex(of: ":") else { continue }
            // After the scheme: all slashes, or fewer of them, as each tool counts them.
            var rest = text[text.index(after: colon)...].prefix { $0 != "?" && $0 != "#" }
            paths.append(String(rest))
            while rest.first == "/" {
                rest = rest.dropFirst()
                paths.append(String(rest))
            }
        }
        return (paths + paths.compactMap(\.removingPercentEncoding)).filter { !$0.isEmpty && $0 != "/" }
    }
}

extension String {
    fileprivate func trimming(_ isLeftOut: (Character) -> Bool) -> String {
        String(drop(while: isLeftOut).reversed().drop(while: isLeftOut).reversed())
    }
}
