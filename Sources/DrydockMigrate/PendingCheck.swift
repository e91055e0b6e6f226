import DatabaseEngine
import DrydockFindings
import DrydockMaintenance
import DrydockMigrations
import DrydockReplay
import DrydockVerify

/// Reads what a live database has applied, and runs nothing.
struct PendingCheck: Sendable {
    let verifier: Verifier
    let copier: LiveCopier
    let request: VerifyRequest

    struct Outcome: Sendable {
        var report: Report
        /// In the order in which they run.
        var pending: [Migration]
    }

    /// Prepares what does not depend on the database, and returns what reads it.
    /// - Throws: ``RequestError`` if no report can be made.
    func reader() async throws -> @Sendable (LiveOverlay.Slice) throws -> Outcome {
        let shared = verifier.share == nil ? nil : try await verifier.preparation.prepared(request, [])
        let set: MigrationSet
        if let shared { set = shared.set } else { set = try await migrations() }
        let snapshot = Snapshot(live: copier.path, copy: copier.path)
        var report = Report(.migrate(MigrateSummary(database: copier.path, outcome: .upToDate)))
        report.isStrict = request.isStrict
        report.migrationFormat = set.format.name
        report.findings =
            request.findings + set.findings
            + verifier.nothingToVerify(set, [snapshot], request)
        let locked = try shared?.locked ?? LockVerdict(request, set)
        report.notChecked += locked.notChecked
        report.add(locked: locked.findings.filter { $0.rule != .snapshotRemoved })
        let target: Int
        if let context = shared?.context {
            target = context.targetCount
        } else {
            target = try await verifier.preparation.makeContext(request, set, nil).targetCount
        }
        let prepared = report
        return { slice in
            var outcome = Outcome(report: prepared, pending: [])
            let history =
                try set.history(slice.connection) ?? set.base.map { _ in AppliedHistory([]) }
            guard let history else {
                outcome.report.findings.append(ReplayPlan.unknownVersion(of: snapshot, set))
                return outcome
            }
            let plan = ReplayPlan(history: history, set: set, targetCount: target)
            outcome.report.findings += plan.findings(for: snapshot)
            outcome.pending = plan.pending.map { set.migrations[$0] }
            return outcome
        }
    }

    private func migrations() async throws -> MigrationSet {
        var choice = try FormatChoice(request.migrations)
        choice.locked = request.lockedFormat
        let facts = choice.needsHistory ? [try await copier.look { try HistoryFacts($0.connection) }] : []
        return try choice.readings(facts).single(isRecorded: request.rehearsal == .isApplied)
    }
}
