import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockState

/// What a replay has found so far, also where it fails later.
package struct ReplayRecord {
    /// The path that findings name.
    package let snapshot: String
    package var result: ReplayResult
    /// What the steps so far have found.
    package var steps = ReplayedSteps()
    /// The migration that is being run or checked.
    package var current: String?
    /// Where an earlier replay was taken up; nil where all pending migrations are run.
    private(set) var resumed: Resumption?

    package init(of snapshot: Snapshot) {
        self.snapshot = snapshot.path
        result = ReplayResult(summary: ReplaySummary(snapshot: snapshot.path))
    }

    package mutating func add(_ finding: Finding) {
        var finding = finding
        finding.snapshot = snapshot
        result.findings.append(finding)
    }

    package mutating func notChecked(_ rule: Rule, _ cause: NotChecked.Reason) {
        let entry = NotChecked(rule, snapshot: snapshot, cause)
        // What a baseline has recorded, it calls by its words.
        let isKnown = result.notChecked.contains { $0.rule == rule && $0.reason == entry.reason }
        if !isKnown { result.notChecked.append(entry) }
    }

    /// Goes on from a checkpoint, with what was found up to there.
    package mutating func resume(_ resumption: Resumption) {
        (result, steps) = (resumption.checkpoint.result, resumption.checkpoint.steps)
        resumed = resumption
    }

    // MARK: - Steps

    /// Counts the steps that ran.
    package mutating func note(_ reached: BatchRun.Reached) {
        for (index, migration) in reached.migrations.enumerated() {
            // Pages that several migrations wrote together are counted once.
            let isLast = index == reached.migrations.count - 1
            result.summary.steps.append(
                .init(
                    migration: migration.identifier, seconds: isLast ? reached.seconds : 0,
                    pagesWritten: isLast ? reached.footprint.pages.count : 0,
                    bytesWritten: isLast ? reached.footprint.byteCount : 0,
                    statementSeconds: isLast ? reached.statementSeconds : []))
            result.summary.to = migration.identifier
        }
    }

    /// Takes back the count of steps that are refused after all.
    package mutating func removeCounts(_ reached: BatchRun.Reached) {
        result.summary.steps.removeLast(reached.migrations.count)
        result.summary.to = result.summary.steps.last?.migration ?? result.summary.from
    }

    /// Records the pages and files that a step changed.
    /// - Parameter after: the state that it led to.
    mutating func noteChanges(_ reached: BatchRun.Reached, to after: DatabaseState) {
        if after.changes?.dirty == nil {
            steps.changedPages = nil
            resumed?.changedPages = nil
        }
        steps.changedPages?.formUnion(reached.footprint.pages)
        resumed?.changedPages?.formUnion(reached.footprint.pages)
        for path in reached.footprint.otherFiles { notCompared(path, reached.step) }
    }

    /// Records that a migration changed a file which it attached.
    private mutating func notCompared(_ path: String, _ migration: Migration) {
        let folder = FolderListing.realPath(".") + "/"
        let name = path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
        notChecked(.rowsLost, .attachedDatabase(name, changedBy: migration.identifier))
    }

    /// Takes over what a step's rules found.
    package mutating func take(
        _ outcome: StepVerification.Outcome, of migration: Migration, at after: DatabaseState
    ) {
        result.summary.rowsCompared += outcome.rowsCompared
        result.summary.tablesUntouched += outcome.tablesUntouched
        let missed = outcome.tablesNotCompared + after.notChecked.count { $0.rule == .rowsLost }
        if missed > 0 { result.summary.tablesNotCompared = (result.summary.tablesNotCompared ?? 0) + missed }
        result.usedDeclarations[migration.identifier, default: []].formUnion(outcome.usedDeclarations)
        result.migrationFindings += outcome.declarationFindings
        for reason in outcome.notChecked { notChecked(reason.rule, reason.cause) }
        steps.append(outcome, of: migration)
    }
}
