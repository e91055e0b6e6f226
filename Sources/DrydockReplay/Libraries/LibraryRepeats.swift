import DrydockFindings
import DrydockMigrations
import DrydockState

/// Repeats the steps of a replay on other SQLite libraries, where some are requested.
struct LibraryRepeats {
    let inputs: ReplayInputs
    let scenes: SceneHandover
    /// The libraries on which nothing more is repeated, each with what is not.
    private var stopped: [SQLiteBuild: String] = [:]

    init(_ inputs: ReplayInputs, _ scenes: SceneHandover) { (self.inputs, self.scenes) = (inputs, scenes) }

    /// Repeats migrations that ran, or failed, on each library on which all earlier ones ran.
    mutating func run(
        _ batch: [Migration], _ outcome: BatchRun.Outcome, from before: DatabaseState,
        at moment: EngineComparison.Moment?, _ record: inout ReplayRecord
    ) async throws {
        let context = inputs.context
        guard !context.libraries.isEmpty, let moment else { return }
        // What is not known by the end of this was not repeated.
        record.result.summary.sqliteVersions = []
        guard context.command == nil else {
            return record.notChecked(
                .libraryDivergence,
                .unsupported("the project's own command brings a SQLite library of its own"))
        }
        // It would run into the same limit there.
        if let failure = outcome.failure.map(RepeatedBatch.Failure.init), failure.isLimit {
            return record.notChecked(
                .libraryDivergence, .overLimit("\(failure.migration) was stopped here: \(failure.message)"))
        }
        for library in context.libraries {
            if let reason = stopped[library] {
                record.notChecked(.libraryDivergence, .undecided(reason))
            }
        }
        let ready = context.libraries.filter { stopped[$0] == nil }
        guard !ready.isEmpty else { return }
        let check = LibraryCheck(
            context: context, watchdog: inputs.watchdog, batch: batch, before: before.image, first: outcome,
            moment: moment)
        let found: [LibraryCheck.Outcome]
        do {
            found = try await check.run(on: ready)
        } catch let fault as FileFault {
            for library in ready {
                stopped[library] =
                    "the migrations after \(batch.last?.identifier ?? "") on \(library.title): \(fault)"
            }
            return record.notChecked(.libraryDivergence, .refused(fault.description))
        }
        for (library, outcome) in zip(ready, found) {
            for finding in outcome.findings { record.add(finding) }
            let step = ReplayedSteps.Last(batch, from: before, record.steps.temporaries)
            scenes.handOver(outcome.findings, of: step, by: .libraries)
            for reason in outcome.notChecked { record.notChecked(.libraryDivergence, reason) }
            guard outcome.isStopped else { continue }
            let failure = outcome.findings.last { $0.rule == .migrationFailed }?.migration
            stopped[library] =
                "the migrations after \(failure ?? batch.last?.identifier ?? "") on \(library.title) "
                + "(\(library.path)), where it \(failure == nil ? "was not repeated to its end" : "fails")"
        }
        let gone = Set(stopped.keys.map(\.version))
        record.result.summary.sqliteVersions = Set(ready.map(\.version)).subtracting(gone).sorted()
    }
}
