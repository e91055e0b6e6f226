import DrydockFiles
import DrydockFindings
import DrydockMigrations

/// The snapshots of a verification.
public struct SnapshotChoice: Sendable {
    public var folder = "Snapshots"
    /// Whether the folder was named, so that it must have a snapshot.
    public var isFolderNamed = true
    /// Paths of single snapshots and folders; empty for all in ``folder``.
    public var paths: [String] = []
    /// The snapshots, in place of the others, just as they are; one that is missing is reported.
    package var listed: ListedSnapshots?

    public init() {}

    /// Returns the snapshots that are named, each file once under each of its names.
    /// - Throws: ``RequestError`` if there is none, or one is missing.
    func named() throws -> [Snapshot] {
        if let listed { return listed.paths.map { Snapshot(path: $0) } }
        guard !paths.isEmpty else { return try SnapshotFolder.snapshots(in: folder) }
        var found: [Snapshot] = []
        for path in paths {
            if FolderListing.isFolder(path) {
                found += try SnapshotFolder.snapshots(in: path)
            } else if DatabaseNames.isPattern(path) {
                found += try DatabaseNames.snapshots(path).map { Snapshot(path: $0) }
            } else {
                guard FolderListing.exists(path) || ByteName.isIn(path) else {
                    throw RequestError(.notFound, FolderListing.missing("snapshot", path))
                }
                found.append(Snapshot(path: path))
            }
        }
        try FolderListing.refuseLookAlikes(found.map(\.path))
        // Two names of one file, as hard links are, are two snapshots.
        var seen: Set<String> = []
        return found.filter { seen.insert(FolderListing.realPath($0.path)).inserted }
    }
}

/// The snapshots of a list, or of one of its parts.
package struct ListedSnapshots: Sendable {
    package var paths: [String]
    /// Whether they are a part: what only the whole shows is left to the merge of the parts.
    package var isPart = false
    /// Whether rows are generated where the options ask for it; of several parts one does.
    package var makesProbes = true

    package init(_ paths: [String]) { self.paths = paths }
}
