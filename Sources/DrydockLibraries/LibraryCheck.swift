import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS
import SQLiteSchema

/// `library-divergence`: repeats a batch of migrations on other SQLite libraries, from the same state, and compares what
/// they make of it with what the usual library made: outcome, schema and rows.
///
/// The state is written once for all libraries, as what differs from the snapshot's file. All runs see the same time and
/// random numbers.
struct LibraryCheck: Sendable {
    let context: ReplayContext
    /// See ``LibraryProcess/program``.
    let program: String?
    let watchdog: Watchdog
    let batch: [Migration]
    let before: Image
    /// What the usual library made of it.
    let first: BatchRun.Outcome
    let conditions: EngineComparison.Conditions

    struct Outcome: Sendable {
        var findings: [Finding] = []
        var notChecked: [NotChecked.Reason] = []
        /// Whether later migrations cannot be repeated on this library.
        var isStopped = false
    }

    private static let stateFile = "before"

    private var name: String { batch.last?.identifier ?? "" }
    private var reports: LibraryReports { LibraryReports(batch: batch) }

    /// - Returns: what came of each library, in the order of the libraries.
    func run(on libraries: [SQLiteBuild]) async throws -> [Outcome] {
        let process = try LibraryProcess(program: program)
        defer { process.folder.delete() }
        try before.write(to: "\(process.folder.path)/\(Self.stateFile)", since: nil)
        var uses = [try await use(of: before)]
        for reached in first.reached { uses.append(try await use(of: reached.image)) }
        uses = LibraryUse.changed(uses)
        var outcomes: [Outcome] = []
        for library in libraries { outcomes.append(try await run(on: library, process, uses)) }
        return outcomes
    }

    private func run(
        on library: SQLiteBuild, _ process: LibraryProcess, _ uses: [LibraryUse]
    ) async throws -> Outcome {
        let watchdog = watchdog
        let end = try await process.run(.run(job(uses)), loading: library.path) { watchdog.isTripped }
        var outcome = Outcome()
        switch end {
        case .stopped:
            outcome.notChecked.append(
                .undecided("\(name) on \(library.title): stopped, since the time was up"))
            outcome.isStopped = true
        case .signalled(let signal, _):
            // A library that crashes on a migration crashes for users too.
            (outcome.findings, outcome.isStopped) = ([reports.crash(signal, on: library)], true)
        case .silent(let lines):
            outcome.notChecked.append(.refused("\(name) on \(library.title): \(lines.last ?? "no answer")"))
            outcome.isStopped = true
        case .answered(let answer):
            do {
                try LibraryProcess.check(answer, is: library)
            } catch let fault as SQLiteBuildFault {
                throw SnapshotFault(library.path, Sentence(fault.text), help: "")
            }
            if let theirs = answer.outcome {
                return try await compare(theirs, uses, on: library, in: process.folder)
            }
            outcome.notChecked.append(.refused("\(name) on \(library.title): no result"))
            outcome.isStopped = true
        }
        return outcome
    }

    private func use(of image: Image) async throws -> LibraryUse {
        let inspector = context.inspector(watchdog)
        let catalog = try await inspector.catalog(of: image)
        return try await inspector.withConnection(to: image) { try LibraryUse(of: catalog, on: $0) }
    }

    private func job(_ uses: [LibraryUse]) -> RepeatedBatch {
        let settings = context.settings(watchdog)
        let left = watchdog.deadline.map { max(0, ($0 - ContinuousClock.now).inSeconds) }
        return RepeatedBatch(
            engine: context.engine.name, base: before.basePath, name: before.name, state: Self.stateFile,
            time: conditions.time, seed: conditions.seed, foreignKeys: foreignKeys,
            doubleQuotedStrings: settings.doubleQuotedStrings, functions: settings.functions,
            collations: settings.collations, standIns: settings.standIns, setup: settings.setup,
            seconds: left,
            memory: SQLiteLibrary.memoryLimit, written: Overlay.limitOfWritten, policy: context.set.policy,
            historySetup: context.set.format.historySetup, migrations: batch.map { .init($0) },
            uses: uses.map(\.job))
    }

    /// Whether the connection enforced foreign keys when the batch began.
    private var foreignKeys: Bool {
        guard !context.set.policy.isRunByEngine else { return context.set.policy.foreignKeys }
        return first.reached.first?.migrations.first?.foreignKeys ?? context.set.policy.foreignKeys
    }

    // MARK: - Comparing

    private func compare(
        _ theirs: RepeatedBatch.Outcome, _ uses: [LibraryUse], on library: SQLiteBuild,
        in folder: PrivateFolder
    ) async throws -> Outcome {
        var outcome = Outcome()
        if let message = theirs.unreadable {
            outcome.notChecked.append(
                .undecided("\(library.title) cannot read the database before \(name): \(message)"))
            outcome.isStopped = true
            return outcome
        }
        let isEnd = first.failure == nil && theirs.failure == nil
        let alike = zip(first.reached, theirs.reached).allSatisfy {
            $0.migrations.map(\.identifier) == $1.migrations
        }
        if !alike || isEnd && first.reached.count != theirs.reached.count {
            outcome.notChecked.append(
                .undecided(
                    "\(library.title) commits \(name) at different points, so the states in between were not compared"
                ))
        }
        var (state, pages) = (before, Set<UInt32>())
        let known = uses[0].differences(theirs.computed)
        for (number, (ours, reached)) in zip(first.reached, theirs.reached).enumerated() {
            state = try Image(transferred: "\(folder.path)/\(reached.state)", since: state)
            pages.formUnion(ours.footprint.pages)
            pages.formUnion(reached.pages)
            guard ours.migrations.map(\.identifier) == reached.migrations else { break }
            if let refusal = reached.refused.first {
                outcome.findings.append(reports.refusal(refusal, reached.refused, at: ours.step, library))
            }
            let parts = try await differences(ours.image, state, pages)
            guard !parts.isEmpty else {
                let computed = uses[number + 1].differences(reached.computed, without: known)
                if !computed.parts.isEmpty {
                    outcome.findings.append(
                        reports.divergence(computed.parts, computed.rows, at: ours.step, library))
                }
                continue
            }
            let again = try await self.again()
            let unstable = try await instability(again, pages)
            if !parts.intersection(unstable).isEmpty {
                let list = EngineComparison.list(Set(parts.intersection(unstable).map(\.description)))
                outcome.notChecked.append(.unstable(migration: ours.step.identifier, parts: list))
            }
            let rest = parts.subtracting(unstable)
            if !rest.isEmpty {
                let rows = try await comparison.rows(of: rest, ours.image, state)
                outcome.findings.append(reports.divergence(rest, rows, at: ours.step, library))
            }
            // What follows in the batch follows from this.
            break
        }
        try await compareFailures(theirs, library, &outcome)
        return outcome
    }

    private func compareFailures(
        _ theirs: RepeatedBatch.Outcome, _ library: SQLiteBuild, _ outcome: inout Outcome
    ) async throws {
        switch (first.failure, theirs.failure) {
        case (nil, nil): break
        case (.some(let ours), nil): outcome.findings.append(reports.passes(ours.migration, library))
        case (let ours, .some(let failure)):
            outcome.isStopped = true
            guard ours?.migration.identifier != failure.migration else { return }
            if failure.isLimit {
                outcome.notChecked.append(
                    .overLimit("\(failure.migration) on \(library.title): \(failure.message)"))
                return
            }
            // What a migration needs of an earlier one's connection, such as a temporary table, is not there.
            if ours == nil, let alone = try await again().failure {
                let message = RepeatedBatch.Failure(alone).message
                outcome.notChecked.append(.undecided("\(name) does not run alone: \(message)"))
                return
            }
            outcome.findings.append(reports.failure(failure, library))
        }
    }

    private var comparison: StateComparison {
        var inspector = context.inspector(watchdog)
        inspector.historyTables = []
        return StateComparison(inspector: inspector)
    }

    /// Returns what differs, in the schema or else in rows.
    private func differences(
        _ ours: Image, _ theirs: Image, _ pages: Set<UInt32>
    ) async throws -> Set<StateComparison.Part> {
        guard try !StateComparison.areEqual(ours, theirs, pages) else { return [] }
        let comparison = comparison
        let inspector = comparison.inspector
        var parts = try await comparison.parts(ours, theirs)
        let objects = parts.filter { if case .object = $0 { true } else { false } }
        if !objects.isEmpty {
            // ALTER TABLE writes the same definition with other quotes and blanks.
            let (mine, other) = (
                try await inspector.catalog(of: ours), try await inspector.catalog(of: theirs)
            )
            if SchemaDiff(from: mine.schema, to: other.schema).changes().isEmpty { parts.subtract(objects) }
        }
        let schema = parts.filter { !$0.isData }
        return schema.isEmpty ? parts : schema
    }

    /// Runs the batch once more on the usual library.
    private func again() async throws -> BatchRun.Outcome {
        var settings = context.settings(watchdog)
        settings.foreignKeys = foreignKeys
        return try await context.repeated(batch, on: context.engine, before, settings, conditions, watchdog)
    }

    /// Returns what differs between two runs on the usual library, such as values of an unordered query.
    private func instability(
        _ again: BatchRun.Outcome, _ pages: Set<UInt32>
    ) async throws -> Set<StateComparison.Part> {
        var unstable: Set<StateComparison.Part> = []
        for (one, two) in zip(first.reached, again.reached) {
            unstable.formUnion(
                try await differences(one.image, two.image, pages.union(two.footprint.pages)))
        }
        return unstable
    }
}
