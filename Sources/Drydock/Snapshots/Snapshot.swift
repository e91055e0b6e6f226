/// A database as some released version left it.
public struct Snapshot: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// A SQLite file.
        case database
        /// SQL text, as `.dump` writes it.
        case dump
    }

    /// The path, as reports show it.
    public var path: String
    public var kind: Kind

    public init(path: String) {
        self.path = path
        kind = path.lowercased().hasSuffix(".sql") ? .dump : .database
    }
}

/// Finds the snapshots of a folder.
public enum SnapshotFolder {
    private static let endings = ["sqlite", "sqlite3", "db", "db3", "s3db", "sl3", "sqlitedb", "sql"]
    private static let sidecars = ["-wal", "-shm", "-journal"]

    /// Every snapshot in a folder and the folders in it, in natural order.
    ///
    /// A file counts when its name ends like a database's, or when its first bytes are SQLite's. What only
    /// has the name and is no database is a snapshot too: it is reported, not passed over.
    /// - Throws: ``RequestError`` when there is no such folder.
    public static func snapshots(in folder: String) throws -> [Snapshot] {
        var found: [Snapshot] = []
        try collect(folder, depth: 0, into: &found)
        return found.sorted { naturallyPrecedes($0.path, $1.path) }
    }

    private static func collect(_ folder: String, depth: Int, into found: inout [Snapshot]) throws {
        for name in try FolderListing.files(in: folder) {
            let path = folder + "/" + name
            if FolderListing.isFolder(path) {
                // Deep enough for any layout, and a loop of links ends.
                if depth < 8 { try collect(path, depth: depth + 1, into: &found) }
                continue
            }
            guard !sidecars.contains(where: { name.hasSuffix($0) }) else { continue }
            let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
            if endings.contains(ending) || SnapshotFile.beginsLikeDatabase(path) {
                found.append(Snapshot(path: path))
            }
        }
    }
}
