import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState

/// Repeats the steps of a replay on other SQLite libraries, each step on those on which all earlier ones ran.
package struct OtherLibraries: StepCheck {
    package let builds: [SQLiteBuild]
    /// See ``LibraryProcess/program``.
    package let program: String?

    package init(builds: [SQLiteBuild], program: String?) {
        self.builds = builds
        self.program = program
    }

    package var repeatsSteps: Bool { true }

    package func observer(of inputs: ReplayInputs) -> any StepObserver {
        LibraryObserver(inputs: inputs, libraries: self)
    }
}

private struct LibraryObserver: StepObserver {
    let inputs: ReplayInputs
    let libraries: OtherLibraries
    /// The libraries on which nothing more is repeated, each with what is not.
    private var stopped: [SQLiteBuild: String] = [:]

    init(inputs: ReplayInputs, libraries: OtherLibraries) {
        (self.inputs, self.libraries) = (inputs, libraries)
    }

    mutating func observe(_ run: ObservedRun, _ record: inout ReplayRecord) async throws -> [Finding] {
        guard let conditions = run.conditions else { return [] }
        let (context, batch, outcome) = (inputs.context, run.batch, run.judged)
        // What is not known by the end of this was not repeated.
        record.result.summary.sqliteVersions = []
        guard context.command == nil else {
            record.notChecked(
                .libraryDivergence,
                .unsupported("the project's own command includes a SQLite library of its own"))
            return []
        }
        // It would run into the same limit there.
        if let failure = outcome.failure.map(RepeatedBatch.Failure.init), failure.isLimit {
            record.notChecked(
                .libraryDivergence, .overLimit("\(failure.migration) was stopped here: \(failure.message)"))
            return []
        }
        for library in libraries.builds {
            if let reason = stopped[library] {
                record.notChecked(.libraryDivergence, .undecided(reason))
            }
        }
        let ready = libraries.builds.filter { stopped[$0] == nil }
        guard !ready.isEmpty else { return [] }
        let check = LibraryCheck(
            context: context, program: libraries.program, watchdog: inputs.watchdog, batch: batch,
            before: run.before.image, first: outcome, conditions: conditions)
        let found: [LibraryCheck.Outcome]
        do {
            found = try await check.run(on: ready)
        } catch let fault as FileFault {
            for library in ready {
                stopped[library] =
                    "the migrations after \(batch.last?.identifier ?? "") on \(library.title): \(fault)"
            }
            record.notChecked(.libraryDivergence, .refused(fault.description))
            return []
        }
        for (library, outcome) in zip(ready, found) {
            for finding in outcome.findings { record.add(finding) }
            for reason in outcome.notChecked { record.notChecked(.libraryDivergence, reason) }
            guard outcome.isStopped else { continue }
            let failure = outcome.findings.last { $0.rule == .migrationFailed }?.migration
            stopped[library] =
                "the migrations after \(failure ?? batch.last?.identifier ?? "") on \(library.title) "
                + "(\(library.path)), where it \(failure == nil ? "was not repeated to its end" : "fails")"
        }
        let gone = Set(stopped.keys.map(\.version))
        record.result.summary.sqliteVersions = Set(ready.map(\.version)).subtracting(gone).sorted()
        return found.flatMap(\.findings)
    }
}
