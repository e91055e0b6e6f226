import DrydockFiles
import DrydockFindings
import DrydockMigrations

/// The files and folders of a project whose changes count. A folder counts with everything in it.
struct WatchedPaths: Sendable, Equatable {
    /// What relative paths are relative to, whatever becomes of that folder meanwhile.
    var root: String
    var paths: Set<String>
    /// Files that whoever watches writes.
    var outputs: Set<String> = []

    /// A project has fewer; a folder that was named by mistake may have more.
    private static let limit = 50_000
    private static let depth = 12

    /// What is there now.
    func contents() -> WatchedContents {
        var contents = WatchedContents()
        for path in paths.sorted() {
            contents.folders.insert(Self.existing(PathParts.folder(of: absolute(path))))
            add(path, depth: 0, to: &contents)
        }
        return contents
    }

    private func add(_ path: String, depth: Int, to contents: inout WatchedContents) {
        let place = absolute(path)
        guard contents.stamps.count < Self.limit, !outputs.contains(path), let stamp = FileStamp(place) else {
            return
        }
        // A folder's own time says nothing that its files do not say, and changes with every temporary file.
        guard stamp.isFolder else { return contents.stamps[path] = stamp }
        contents.folders.insert(place)
        contents.present.insert(path)
        guard depth < Self.depth else { return }
        for entry in FolderListing.entries(in: place) ?? [] {
            let isSkipped = depth > 0 && SearchLimits.skipped.contains(entry.name.lowercased())
            guard !entry.name.hasPrefix("."), !isSkipped, !Self.isTemporary(entry.name) else { continue }
            add(path + "/" + entry.name, depth: depth + 1, to: &contents)
        }
    }

    private func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : root + "/" + path }

    /// Whether an editor, or SQLite, makes the file for a moment.
    private static func isTemporary(_ name: String) -> Bool {
        name.hasSuffix("~") || name.hasSuffix(".swp") || name.hasSuffix(".tmp") || name.hasSuffix("-shm")
            || name == "4913"
    }

    /// Returns the nearest folder that exists, of a folder and those above it.
    private static func existing(_ folder: String) -> String {
        var folder = folder
        while folder != "/", !FolderListing.isFolder(folder) { folder = PathParts.folder(of: folder) }
        return folder
    }
}

/// The files below watched paths at one moment.
struct WatchedContents: Sendable, Equatable {
    var stamps: [String: FileStamp] = [:]
    /// The watched folders that exist.
    var present: Set<String> = []
    /// The folders in which a change is to be noticed.
    var folders: Set<String> = []

    static func == (a: Self, b: Self) -> Bool { a.stamps == b.stamps && a.present == b.present }

    /// Returns the paths that differ, in order.
    func changes(from earlier: WatchedContents) -> [String] {
        let files = Set(stamps.keys).union(earlier.stamps.keys).filter { stamps[$0] != earlier.stamps[$0] }
        return files.union(present.symmetricDifference(earlier.present)).sorted()
    }
}
