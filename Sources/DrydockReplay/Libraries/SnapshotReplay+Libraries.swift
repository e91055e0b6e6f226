import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS

/// Steps of a replay on other SQLite libraries.
extension SnapshotReplay {
    /// The time and the random numbers of the next step, where it is repeated; they begin with this call.
    func repeatableMoment(on overlay: Overlay) -> EngineComparison.Moment? {
        guard context.repeatsSteps else { return nil }
        let moment = EngineComparison.Moment.now()
        moment.begin(on: overlay, random)
        return moment
    }

    /// Repeats migrations that ran, or failed, on each library on which all earlier ones ran.
    mutating func repeatOnLibraries(
        _ batch: [Migration], _ outcome: BatchRun.Outcome, from before: DatabaseState,
        at moment: EngineComparison.Moment?
    ) async throws {
        guard !context.libraries.isEmpty, let moment else { return }
        // What is not known by the end of this was not repeated.
        result.summary.sqliteVersions = []
        guard context.command == nil else {
            return notChecked(
                .libraryDivergence,
                .unsupported("the project's own command brings a SQLite library of its own"))
        }
        // It would run into the same limit there.
        if let failure = outcome.failure.map(RepeatedBatch.Failure.init), failure.isLimit {
            return notChecked(
                .libraryDivergence, .overLimit("\(failure.migration) was stopped here: \(failure.message)"))
        }
        for library in context.libraries {
            if let reason = steps.stoppedLibraries[library] {
                notChecked(.libraryDivergence, .undecided(reason))
            }
        }
        let ready = context.libraries.filter { steps.stoppedLibraries[$0] == nil }
        guard !ready.isEmpty else { return }
        let check = LibraryCheck(
            context: context, watchdog: watchdog, batch: batch, before: before.image, first: outcome,
            moment: moment)
        let found: [LibraryCheck.Outcome]
        do {
            found = try await check.run(on: ready)
        } catch let fault as FileFault {
            for library in ready {
                steps.stoppedLibraries[library] =
                    "the migrations after \(batch.last?.identifier ?? "") on \(library.title): \(fault)"
            }
            return notChecked(.libraryDivergence, .refused(fault.description))
        }
        for (library, outcome) in zip(ready, found) {
            for finding in outcome.findings { add(finding) }
            let step = ReplayedSteps.Last(batch, from: before, steps.temporaries)
            handOver(outcome.findings, of: step, by: .libraries)
            for reason in outcome.notChecked { notChecked(.libraryDivergence, reason) }
            guard outcome.isStopped else { continue }
            let failure = outcome.findings.last { $0.rule == .migrationFailed }?.migration
            steps.stoppedLibraries[library] =
                "the migrations after \(failure ?? batch.last?.identifier ?? "") on \(library.title) "
                + "(\(library.path)), where it \(failure == nil ? "was not repeated to its end" : "fails")"
        }
        let stopped = Set(steps.stoppedLibraries.keys.map(\.version))
        result.summary.sqliteVersions = Set(ready.map(\.version)).subtracting(stopped).sorted()
    }
}
