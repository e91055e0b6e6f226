import DrydockFiles
import DrydockFindings
import DrydockMigrations

extension VerifyRequest {
    /// Returns the snapshots that a request names, each file once under each of its names.
    /// - Throws: ``RequestError`` if there is none, or one is missing.
    func namedSnapshots() throws -> [Snapshot] {
        if let listed = snapshots.listed { return listed.paths.map { Snapshot(path: $0) } }
        guard !snapshots.paths.isEmpty else { return try SnapshotFolder.snapshots(in: snapshots.folder) }
        var found: [Snapshot] = []
        for path in snapshots.paths {
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
