import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DatabaseEngine

/// Lints migrations that more than one tool may run, as each of them would.
extension Linter {
    /// Reads the folder in every format that its files, and the history in a snapshot, allow.
    /// - Throws: as ``run(_:)``.
    func readings(_ choice: FormatChoice, _ request: LintRequest) async throws -> Readings {
        do {
            let readings = try choice.readings([])
            if readings.all.count == 1 { return readings }
        } catch let error as RequestError {
            if request.snapshotsFolder == nil { throw error }
        }
        let snapshots = try request.snapshotsFolder.map { try SnapshotFolder.snapshots(in: $0) } ?? []
        var settings = ConnectionSettings()
        settings.functions = request.migrations.functions
        settings.collations = request.migrations.collations
        let opener = SnapshotOpener(engine: engine, settings: settings)
        return try choice.readings(try await choice.histories(of: snapshots, opener))
    }

    /// Lints every reading, and returns one outcome. Only what all readings would rewrite in the same way is rewritten.
    func run(
        _ request: LintRequest, _ readings: Readings, edited: [String: [UInt8]], cache: LintCache?
    ) async throws -> LintOutcome {
        var outcomes: [LintOutcome] = []
        for reading in readings.all {
            outcomes.append(try await run(request, reading.set, edited: edited, cache: cache))
        }
        var outcome = outcomes[0]
        let summaries = readings.summaries
        guard !summaries.isEmpty else { return outcome }
        let parts = zip(readings.all, zip(summaries, outcomes)).map { reading, found in
            Report.OfReading(found.0, found.1.report, covers: readings.scope(of: reading))
        }
        outcome.report = Report.merged(parts) ?? outcome.report
        for other in outcomes.dropFirst() {
            outcome.rewrites.removeAll { rewrite in
                !other.rewrites.contains { $0.path == rewrite.path && $0.result == rewrite.result }
            }
            outcome.kept += other.kept.filter { !outcome.kept.contains($0) }
            outcome.creations.merge(other.creations) { first, _ in first }
        }
        return outcome
    }
}
