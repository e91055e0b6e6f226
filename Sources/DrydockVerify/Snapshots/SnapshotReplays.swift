import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import OverlayVFS

/// The replays of the snapshots of a run.
struct SnapshotReplays: Sendable {
    let context: ReplayContext
    let fresh: FreshInstall
    let request: VerifyRequest
    /// The state that is replayed in place of the snapshot's file; nil where there is none.
    let later: LaterState?
    /// See ``Verifier/readingName``.
    let readingName: String
    let onEvent: @Sendable (VerifyEvent) -> Void

    /// Replays as many snapshots at once as there are jobs; results are in the order of the snapshots.
    /// - Parameter deadline: returns that of the next snapshot.
    func run(
        _ snapshots: [Snapshot], _ deadline: @escaping @Sendable () -> ContinuousClock.Instant?
    ) async throws -> [ReplayResult] {
        let names = SnapshotNames(snapshots.map(\.path))
        onEvent(.began(snapshots: snapshots.map(\.path)))
        context.cache?.keep(only: snapshots.map(\.path))
        return try await concurrentMap(snapshots, jobs: request.jobs) {
            onEvent(.replayed($0.summary, $0.findings))
        } _: { snapshot in
            var result = try await kept(snapshot) {
                try await replay(snapshot, deadline())
            }
            result.summary.name = names.name(of: snapshot.path)
            return result
        }
    }

    private func replay(
        _ snapshot: Snapshot, _ deadline: ContinuousClock.Instant?
    ) async throws -> ReplayResult {
        var left = ReplayResult(summary: ReplaySummary(snapshot: snapshot.path))
        left.isCutShort = true
        if let overdue = fresh.overdue {
            left.findings = [overdue.finding(snapshot)]
            return left
        }
        let watchdog = Watchdog(deadline: deadline)
        let place = ReplayPlace()
        let noting: @Sendable (VerifyEvent) -> Void = { [onEvent] event in
            if case .step(_, let migration, _, _) = event { place.set(migration) }
            onEvent(event)
        }
        let result = try await BoundedWait(watchdog: watchdog).result {
            var replay = SnapshotReplay(
                context: context, snapshot: snapshot, fresh: fresh, watchdog: watchdog, later: later,
                onEvent: noting)
            try await replay.run()
            return replay.result
        }
        if let result { return result }
        let overdue = Overdue(
            limit: context.timeLimit, migration: place.migration, place: watchdog.statements.place)
        left.findings = [overdue.finding(snapshot)]
        return left
    }

    /// Returns a result that is known already, or makes it and keeps it.
    private func kept(
        _ snapshot: Snapshot, _ make: () async throws -> ReplayResult
    ) async throws -> ReplayResult {
        guard let keeping = request.keeping else { return try await make() }
        if let known: ReplayResult = keeping.results.result(of: snapshot.path, as: readingName) {
            return known
        }
        let stamp = KeptResults.stamp(of: snapshot.path)
        let result = try await make()
        // What a lack of time or space led to is not for the next run.
        let isFinal =
            !result.isCutShort && Overlay.faultLog?.first == nil
            && !result.findings.contains { $0.tags.contains(.notChecked) }
        try keeping.results.keep(
            keeping.isRedacted ? result.redacted : result, of: snapshot.path, as: readingName,
            isFinal ? stamp : nil)
        return result
    }
}
