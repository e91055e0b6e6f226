import DrydockFindings
import DrydockMigrations
import OverlayVFS

/// The snapshots of a run, and what is known of them from an earlier one.
extension Verifier {
    func snapshots(_ request: VerifyRequest) throws -> [Snapshot] {
        if let listed = request.listed { return listed.map { Snapshot(path: $0) } }
        guard !request.snapshots.isEmpty else {
            return try SnapshotFolder.snapshots(in: request.snapshotsFolder)
        }
        var found: [Snapshot] = []
        for path in request.snapshots {
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

    /// Returns a result that is known already, or makes it and keeps it.
    func kept(
        _ snapshot: Snapshot, _ request: VerifyRequest, _ make: () async throws -> ReplayResult
    ) async throws -> ReplayResult {
        guard let kept = request.kept else { return try await make() }
        if let known: ReplayResult = kept.result(of: snapshot.path, as: readingName) { return known }
        let stamp = KeptResults.stamp(of: snapshot.path)
        let result = try await make()
        // What a lack of time or space led to is not for the next run.
        let isFinal =
            !result.isCutShort && Overlay.faultLog?.first == nil
            && !result.findings.contains { $0.tags.contains(.notChecked) }
        try kept.keep(
            request.redactsKept ? result.redacted : result, of: snapshot.path, as: readingName,
            isFinal ? stamp : nil)
        return result
    }
}
