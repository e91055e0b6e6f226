import DrydockFindings
import DrydockMigrations
import OverlayVFS

/// Results that an earlier run, or a shard, has left.
extension Verifier {
    /// Returns a result that is known already, or makes it and keeps it.
    func kept(
        _ snapshot: Snapshot, _ request: VerifyRequest, _ make: () async throws -> ReplayResult
    ) async throws -> ReplayResult {
        guard let kept = request.kept else { return try await make() }
        if let known: ReplayResult = kept.result(of: snapshot.path) { return known }
        let stamp = KeptResults.stamp(of: snapshot.path)
        let result = try await make()
        // What a lack of time or space led to is not for the next run.
        let isFinal = !result.isCutShort && Overlay.faultLog?.first == nil
        try kept.keep(
            request.redactsKept ? result.redacted : result, of: snapshot.path, isFinal ? stamp : nil)
        return result
    }
}
