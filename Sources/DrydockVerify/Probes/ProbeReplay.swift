import DrydockFindings
import DrydockMigrations
import DrydockReplay

/// Replays all migrations on a database whose tables are filled with generated rows as they appear.
///
/// A walk ends at a migration that fails; another one then begins after it, with rows in all tables of that version.
struct ProbeReplay {
    var context: ReplayContext
    let source: ProbeSource
    var fresh: FreshInstall
    let watchdog: Watchdog
    let onEvent: @Sendable (VerifyEvent) -> Void

    /// - Parameter stopsAtFailure: whether what comes after a migration that fails is left out.
    /// - Throws: only CancellationError; any other failure is a finding.
    func run(stopsAtFailure: Bool = false) async throws -> [ReplayResult] {
        let later = LaterSchemas(fresh, upTo: context.targetCount)
        var results: [ReplayResult] = []
        var first: Int? = 0
        while let start = first {
            var walk = ProbeWalk(replay: self, later: later, start: start)
            try await walk.run()
            // What fails without rows fails for everyone, and nothing after it can be reached.
            first = walk.failedAt.flatMap { failed in
                failed + 1 < context.targetCount && fresh.passes(failed) && !stopsAtFailure ? failed + 1 : nil
            }
            results.append(walk.result(isLast: first == nil))
        }
        if let finding = unreached(results) { results[results.count - 1].findings.append(finding) }
        return results
    }

    /// Returns the finding for migrations that no row met, where nothing else says so as an error: released ones before
    /// them fail.
    private func unreached(_ results: [ReplayResult]) -> Finding? {
        let tried = results.reduce(into: Set<String>()) { $0.formUnion($1.triedMigrations) }
        let left = context.targets.filter { isChecked($0) && !tried.contains($0.identifier) }
        guard let first = left.first, fresh.failure?.finding == nil,
            !results.flatMap(\.findings).contains(where: { $0.severity == .error })
        else { return nil }
        return Finding(
            .nothingVerified,
            "\(counted(left.count, "migration")) from \(first.identifier) on \(left.count == 1 ? "was" : "were") not run",
            help: (fresh.failure.map { "\($0.reason). " } ?? "")
                + "Verify a snapshot that has applied it.",
            migration: first.identifier, place: .init(file: first.path))
    }

    /// Whether a migration is checked, rather than only run to come to the next.
    func isChecked(_ migration: Migration) -> Bool {
        source.options.includesReleased || !(context.lock?.isReleased(migration) ?? false)
    }
}
