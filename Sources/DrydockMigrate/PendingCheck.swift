import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockMaintenance
import DatabaseEngine

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

    /// - Throws: ``RequestError`` if no report can be made.
    func run() async throws -> Outcome {
        // What the history looks like is a stranger's affair, too: it may be a view that never ends.
        var copier = copier
        copier.deadline = TimeBudget(request.timeout).firstDeadline
        let set = try await migrations(copier)
        let snapshot = Snapshot(live: copier.path, copy: copier.path)
        var report = Report(.migrate(MigrateSummary(database: copier.path, outcome: .upToDate)))
        report.isStrict = request.isStrict
        report.migrationFormat = set.format.name
        report.findings =
            request.findings + set.findings
            + verifier.nothingToVerify(set, [snapshot], request)
        if let lock = try verifier.lockCheck(request, &report) {
            var findings = try verifier.lockFindings(lock, request, set)
            findings.removeAll { $0.rule == .snapshotRemoved }
            report.add(locked: findings)
        }
        let target = try await verifier.makeContext(request, set, nil).targetCount
        let history = try await copier.look { try set.format.history($0.connection, of: set) }
        guard let history = history ?? set.base.map({ _ in AppliedHistory([]) }) else {
            report.findings.append(ReplayPlan.unknownVersion(of: snapshot, set))
            return Outcome(report: report, pending: [])
        }
        let plan = ReplayPlan(history: history, set: set, targetCount: target)
        report.findings += plan.findings(for: snapshot)
        return Outcome(report: report, pending: plan.pending.map { set.migrations[$0] })
    }

    private func migrations(_ copier: LiveCopier) async throws -> MigrationSet {
        if verifier.share != nil { return try await verifier.prepared(request, []).set }
        var choice = try FormatChoice(
            folder: request.migrationsFolder, named: request.migrationFormat, options: request.format)
        choice.locked = verifier.lockedFormat(request)
        let facts = choice.needsHistory ? [try await copier.look { try HistoryFacts($0.connection) }] : []
        return try choice.load(facts)
    }
}
