import DrydockFindings
import DrydockMigrations
import DrydockReplay

/// Verifies migrations that more than one tool may run, as each of them would.
struct ReadingsVerification {
    let verifier: Verifier
    let readings: Readings
    let snapshots: [Snapshot]
    let request: VerifyRequest

    /// Verifies the snapshots in every reading of the migrations.
    func run() async throws -> (Report, [ReplayResult]) {
        if let listener = verifier.listener { return try await run(for: listener) }
        let begin = ContinuousClock.now
        let all = Array(zip(readings.all, readings.summaries).enumerated())
        // The snapshots of one reading are already replayed side by side; generated rows are not.
        let done = try await concurrentMap(all, jobs: snapshots.isEmpty ? request.jobs : 1) { index, one in
            let (reading, summary) = one
            let (report, results) = try await verifier(of: summary, isFirst: index == 0)
                .verifySnapshots(snapshots, request, LoadedMigrations(set: reading.set))
            return (Report.OfReading(summary, report, covers: readings.scope(of: reading)), results)
        }
        guard var report = Report.merged(done.map(\.0)) else { return (Report(.verify(VerifySummary())), []) }
        report.seconds = (ContinuousClock.now - begin).inSeconds
        let ofSnapshot = Dictionary(grouping: report.findings, by: \.snapshot)
        for replay in report.replays where !replay.isProbe {
            verifier.onEvent(.replayed(replay, ofSnapshot[replay.snapshot] ?? []))
        }
        return (report, done[0].1)
    }

    /// Returns the verifier of one reading. A snapshot is complete when all readings of it are.
    private func verifier(of reading: ReportReading, isFirst: Bool) -> Verifier {
        var verifier = verifier
        verifier.readingName = isFirst ? "" : reading.name
        verifier.cache = verifier.cache?.reading(reading.name)
        verifier.onEvent = { [onEvent = self.verifier.onEvent] event in
            switch event {
            case .began where isFirst, .step: onEvent(event)
            case .began, .replayed: break
            }
        }
        return verifier
    }

    /// Verifies one reading after the other until one has the finding for which a listener waits.
    private func run(for listener: any ReplayListener) async throws -> (Report, [ReplayResult]) {
        var parts: [Report.OfReading] = []
        for (reading, summary) in zip(readings.all, readings.summaries) {
            listener.restart()
            let (report, results) = try await verifier.verifySnapshots(
                snapshots, request, LoadedMigrations(set: reading.set))
            let isFound = report.findings.contains { $0.severity > .note && listener.wants($0) }
            if listener.isDone || isFound { return (report, results) }
            parts.append(Report.OfReading(summary, report))
        }
        return (Report.merged(parts) ?? Report(.verify(VerifySummary())), [])
    }
}
