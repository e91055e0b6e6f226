import DrydockFindings
import DrydockMigrations
import DatabaseEngine

/// Replays generated rows where there is no snapshot, or beside them.
extension Verifier {
    /// Whether rows are generated.
    func usesProbes(_ request: VerifyRequest, _ snapshots: [Snapshot]) -> Bool {
        guard generator != nil, !request.isRehearsal, request.command == nil else { return false }
        return switch request.probes.use {
        case .always: true
        case .never: false
        case .whereNoSnapshot:
            snapshots.isEmpty && request.snapshots.isEmpty && !request.isSnapshotsFolderNamed
        }
    }

    /// Replays probes in the time of one snapshot.
    func replayProbes(
        _ context: ReplayContext, _ fresh: FreshInstall, _ request: VerifyRequest,
        _ deadline: ContinuousClock.Instant?
    ) async throws -> [ReplayResult] {
        guard let generator else { return [] }
        let name = "probe"
        if let overdue = fresh.overdue { return [overdueProbe(name, overdue)] }
        let watchdog = Watchdog(deadline: deadline)
        let place = ReplayPlace()
        let noting: @Sendable (VerifyEvent) -> Void = { [onEvent] event in
            if case .step(_, let migration, _, _) = event { place.set(migration) }
            onEvent(event)
        }
        let source = ProbeSource(
            generator: generator, options: request.probes,
            statements: context.set.migrations.flatMap(\.statements))
        let results = try await BoundedWait(watchdog: watchdog).result {
            try await ProbeReplay(
                context: context, source: source, fresh: fresh, watchdog: watchdog, onEvent: noting
            ).run()
        }
        let overdue = Overdue(
            limit: context.timeLimit, migration: place.migration, place: watchdog.statements.place)
        let all = results ?? [overdueProbe(name, overdue)]
        for result in all { onEvent(.replayed(result.summary, result.findings)) }
        return all
    }

    /// Returns the finding for a run in which no migration was to be checked.
    func nothingPending(_ results: [ReplayResult]) -> Finding {
        if results.allSatisfy(\.summary.isProbe) {
            return Finding(
                .nothingVerified, .warning, "nothing was checked: every migration is released",
                help:
                    "Generated rows are for migrations that the lock does not have. --all checks the released ones too."
            )
        }
        return Finding(
            .nothingVerified, .warning, "nothing was pending: every snapshot has applied every migration",
            help: "Add snapshots of older releases: they are what your users upgrade from.")
    }

    private func overdueProbe(_ name: String, _ overdue: Overdue) -> ReplayResult {
        var result = ReplayResult(summary: ReplaySummary(snapshot: name))
        result.summary.isProbe = true
        result.findings = [overdue.finding(Snapshot(path: name))]
        return result
    }
}
