import DrydockFiles
import DrydockFindings

/// Finds the snapshots of a folder.
public enum SnapshotFolder {
    private static let endings = ["sqlite", "sqlite3", "db", "db3", "s3db", "sl3", "sqlitedb", "sql"]
    /// Returns every snapshot in a folder and its subfolders, in natural order.
    ///
    /// A file counts when its name ends like a database's or a compressed file's, or when its first bytes are SQLite's
    /// or those of a compressed file. A file with only the name that is not a database is a snapshot too: it is
    /// reported, not passed over.
    /// - Throws: ``RequestError`` when the folder does not exist.
    public static func snapshots(in folder: String) throws -> [Snapshot] {
        var found: [Snapshot] = []
        var visited: Set<String> = []
        try collect(folder, visited: &visited, into: &found)
        return found.sorted { naturallyPrecedes($0.path, $1.path) }
    }

    /// Whether a path is a folder without a snapshot.
    package static func isEmpty(_ path: String) -> Bool {
        FolderListing.isFolder(path) && (try? snapshots(in: path).isEmpty) == true
    }

    private static func collect(
        _ folder: String, visited: inout Set<String>, into found: inout [Snapshot]
    ) throws {
        // Links may lead to a folder twice, or in a loop.
        guard visited.insert(FolderListing.realPath(folder)).inserted else { return }
        for name in try FolderListing.files(in: folder) {
            let path = folder + "/" + name
            if ByteName.isFolder(path) == true {
                // What is in it cannot be read, which is reported and not passed over.
                found.append(Snapshot(path: path))
                continue
            }
            if FolderListing.isFolder(path) {
                try collect(path, visited: &visited, into: &found)
                continue
            }
            if isSnapshot(path) { found.append(Snapshot(path: path)) }
        }
    }

    /// Whether a file that is not named explicitly counts as a snapshot.
    static func isSnapshot(_ path: String) -> Bool {
        guard !SnapshotFile.isSidecar(path) else { return false }
        let name = PathParts.name(of: path)
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return endings.contains(ending) || SnapshotFile.beginsLikeDatabase(path)
            || CompressedFile.isSnapshot(path)
    }
}
