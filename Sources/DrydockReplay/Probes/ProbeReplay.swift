import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

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

/// One way through the migrations, from a version on.
struct ProbeWalk {
    let parent: ProbeReplay
    let later: LaterSchemas
    /// The number of migrations that run before there are rows.
    private let start: Int
    var replay: SnapshotReplay
    /// The position of the migration that failed.
    private(set) var failedAt: Int?
    var reader = SchemaReader()
    /// The number of times that rows were generated.
    private var round = 0
    /// How many rows were generated for tables of a folded name.
    private var generated: [String: Int] = [:]
    /// Why tables are empty, by folded name.
    var empty: [String: GeneratedRows.EmptyTable] = [:]
    /// The states that checked migrations met, for the search for a counterexample.
    var scenes: [String: StepScene] = [:]

    /// How often steps may still be run in search of the fewest rows.
    var runs: Int
    /// How often the project's own command may still be run on unusual rows.
    var commandRuns: Int
    /// How often unusual rows may still be tried in parts, or fewer of them.
    var edgeRetries: Int
    /// The migrations that were not run on them.
    var withoutEdgeRows: [String] = []
    /// The tables that took no unusual row, by folded name.
    var ordinaryOnly: Set<String> = []

    init(replay parent: ProbeReplay, later: LaterSchemas, start: Int) {
        self.parent = parent
        self.later = later
        self.start = start
        runs = CounterexampleSearch.totalRunLimit(parent.context)
        let share = parent.context.timeShare ?? 1
        (edgeRetries, commandRuns) = (40 * share, 60 * share)
        let migrations = parent.context.set.migrations
        let name = start == 0 ? "probe" : "probe after \(migrations[start - 1].identifier)"
        replay = SnapshotReplay(
            context: parent.context, snapshot: Snapshot(path: name), fresh: parent.fresh,
            watchdog: parent.watchdog, onEvent: parent.onEvent)
        replay.result.summary.name = name
        replay.result.summary.isProbe = true
    }

    var context: ReplayContext { parent.context }

    /// - Parameter isLast: whether no other walk comes to the migrations after the one that failed.
    func result(isLast: Bool) -> ReplayResult {
        var result = replay.result
        // No database of a user's has applied anything here.
        result.applied = []
        if !isLast {
            result.notChecked.removeAll {
                if case .notReplayed = $0.cause { true } else { false }
            }
        }
        return result
    }

    mutating func run() async throws {
        let begin = ContinuousClock.now
        var failure: (any Error)?
        do {
            try await walk()
        } catch {
            failure = error
        }
        replay.result.isUpToDate = !context.targets.contains(where: parent.isChecked)
        try replay.conclude(after: failure, since: begin)
        // What a tool keeps there, it makes again after each run.
        let filled = Set((context.command?.format.history?.filledTables ?? []).map(\.foldedASCII))
        replay.result.findings.removeAll { $0.table.map { filled.contains($0.foldedASCII) } ?? false }
        guard failure == nil else { return }
        for table in empty.values.sorted(by: { $0.table < $1.table }) {
            replay.notChecked(.rowsLost, .noGeneratedRows(table: table.table, because: table.reason))
        }
        noteLeftOut()
        try await addCounterexamples()
        replay.result.summary.seconds = (ContinuousClock.now - begin).inSeconds
    }

    private mutating func walk() async throws {
        let overlay = try await first()
        let database = try await replay.open(overlay)
        do {
            try await walk(database, overlay)
        } catch {
            try? await database.close()
            throw error
        }
        // It is closed where the project's own command wrote.
        if context.command == nil { try await database.close() } else { try? await database.close() }
    }

    /// Returns the database with which the walk begins; one that the project's own command made is kept.
    private func first() async throws -> Overlay {
        if let image = context.command?.made[start] { return try Overlay(image) }
        let maker = DatabaseMaker(engine: context.engine, settings: context.settings(parent.watchdog))
        return try await maker.base(context.set.base)
    }

    private mutating func walk(_ database: any OpenDatabase, _ overlay: Overlay) async throws {
        if context.command == nil {
            let runner = BatchRun(set: context.set, database: database, overlay: overlay)
            for index in 0..<start { _ = try await runner.run([context.set.migrations[index]]) }
        }
        guard let plan = try await replay.makePlan(database) else { return }
        let opened = OpenedSnapshot(
            overlay: overlay, database: database, plan: plan, recognition: nil,
            image: overlay.freeze().image)
        // A connection would not notice what a command writes.
        if context.command != nil { try await database.close() }
        guard let baselined = try await replay.takeBaseline(of: opened) else { return }
        var state = baselined.state
        if start > 0 || context.set.base != nil {
            state = try await fill(state, nil, after: start - 1, opened)
        }
        var next = 0
        while next < plan.pending.count, failedAt == nil {
            let count = try await step(&state, plan.pending[next...], opened)
            guard count > 0 else { break }
            next += count
        }
        try await replay.check(
            ReplayedSnapshot(
                baseline: baselined, plan: plan, end: state,
                isWhole: plan.pending.count == replay.result.summary.steps.count))
    }

    // MARK: - A step

    /// Runs the next migration, with those after it that its tool must commit together with it.
    /// - Returns: how many migrations ran.
    private mutating func step(
        _ state: inout DatabaseState, _ pending: ArraySlice<Int>, _ opened: OpenedSnapshot
    ) async throws -> Int {
        let (ready, _) = replay.runnable([pending[pending.startIndex]])
        guard var batch = ready.first.map({ [$0] }) else { return 0 }
        replay.current = batch[0].identifier
        announce(batch[0], opened.plan)
        var runner = BatchRun(set: context.set, database: opened.database, overlay: opened.overlay)
        runner.command = context.commandRun(parent.watchdog)
        runner.notesIdle = true
        let work = WorkLimit(steps: parent.source.options.instructionLimit)
        let moment = replay.repeatableMoment(on: opened.overlay)
        var outcome = try await parent.watchdog.limiting(work) { try await runner.run(batch) }
        // A shared transaction may repair later what the COMMIT refuses here.
        while outcome.isRefusedCommit, batch[0].transaction == .all, batch.count < pending.count {
            let following = context.set.migrations[pending[pending.startIndex + batch.count]]
            guard following.transaction == .all,
                let next = replay.runnable([pending[pending.startIndex + batch.count]]).ready.first
            else { break }
            batch.append(next)
            let longer = batch
            outcome = try await parent.watchdog.limiting(work) { try await runner.run(longer) }
        }
        let before = state
        for reached in outcome.reached {
            guard try await take(reached, &state, opened) else { return batch.count }
        }
        if batch.contains(where: parent.isChecked) {
            try await replay.checkCrashes(batch, outcome, from: before, opened)
            try await replay.repeatOnLibraries(batch, outcome, from: before, at: moment)
        }
        if let (migration, error) = outcome.failure {
            let index = context.set.index(of: migration.identifier) ?? 0
            replay.current = migration.identifier
            failedAt = index
            if work.hasStopped {
                if parent.isChecked(migration) { replay.add(endless(migration)) }
                return batch.count
            }
            guard let finding = try await replay.migrationFailure(error, migration, index, state) else {
                throw error
            }
            guard parent.isChecked(migration) else { return batch.count }
            note(Array(batch.prefix { $0.identifier != migration.identifier }) + [migration], state)
            let missing = missingBase(finding, index, state)
            replay.add(missing ?? WriteObstacle(opened.overlay).explaining(finding, error))
        }
        return batch.count
    }

    /// Returns the finding for a migration that was stopped.
    private func endless(_ migration: Migration) -> Finding {
        let place = parent.watchdog.statements.place
        let millions = parent.source.options.instructionLimit / 1_000_000
        let limit = millions % 1000 == 0 ? "\(millions / 1000) billion" : "\(millions) million"
        return Finding(
            .timeLimit,
            "\(migration.identifier) does not come to an end with generated rows: it was stopped after "
                + "\(limit) instructions of SQLite" + (place.map { ", in \($0.text)" } ?? ""),
            help:
                "A statement that never ends needs another condition. If this one only takes long, verify databases of "
                + "releases instead: copy them into Snapshots/.",
            migration: migration.identifier, place: place.map { .init($0) } ?? .init(file: migration.path))
    }

    /// Returns the finding for a first migration that needs a schema which no migration makes: some tools keep only the
    /// newest schema, and begin with what the first release made of it.
    private func missingBase(_ finding: Finding, _ index: Int, _ state: DatabaseState) -> Finding? {
        guard index == 0, !context.set.expected.isEmpty, context.set.base == nil,
            state.catalog.tables.isEmpty,
            let first = context.set.migrations.first
        else { return nil }
        return Finding(
            .nothingVerified,
            "\(first.identifier) changes a schema that no migration makes, so there is nothing to generate rows for: "
                + finding.message,
            help:
                "Keep a database or the schema of the first release, and name it in drydock.yml with 'base:'; or copy "
                + "databases of releases into Snapshots/.", migration: first.identifier, place: finding.place)
    }

    /// Takes the state to which a migration led, checks it, and fills the tables that are new.
    /// - Returns: false where the engine would have refused it.
    private mutating func take(
        _ reached: BatchRun.Reached, _ state: inout DatabaseState, _ opened: OpenedSnapshot
    ) async throws -> Bool {
        replay.note(reached)
        let before = state
        let isChecked = reached.migrations.contains(where: parent.isChecked)
        if isChecked { note(reached.migrations, before) }
        let after = try await replay.inspect(reached, from: before)
        if let command = context.command, let name = reached.migrations.last?.identifier {
            scenes[name]?.touched = TouchedTables(from: before, to: after).names
                .subtracting(command.format.tablesOfTool)
        }
        let index = reached.migrations.last.flatMap { context.set.index(of: $0.identifier) } ?? 0
        if let finding = try await replay.refusal(reached, after, from: before) {
            replay.removeCounts(reached)
            if isChecked { replay.add(finding) }
            failedAt = index
            return false
        }
        if isChecked {
            state = try await replay.judge(reached.step, from: before, to: after)
            if context.checksRollback { try await replay.checkRollback(reached, from: before, to: state) }
            let idle = try await tryEdgeRows(reached.step, before)
            noteIdle(reached, idle, in: reader.schema(of: before.catalog))
            noteLimits(of: reached.migrations, in: reader.schema(of: before.catalog))
        } else {
            state = after
        }
        if index + 1 < context.targetCount {
            state = try await fill(state, before, after: index, opened)
        }
        return true
    }

    private func announce(_ migration: Migration, _ plan: ReplayPlan) {
        parent.onEvent(
            .step(
                snapshot: replay.snapshot.path, migration: migration.identifier,
                number: replay.result.summary.steps.count + 1, of: plan.pending.count))
    }

    private mutating func note(_ migrations: [Migration], _ before: DatabaseState) {
        guard let last = migrations.last else { return }
        scenes[last.identifier] = StepScene(
            migrations: migrations, before: before, context: context, watchdog: parent.watchdog,
            chronicle: replay.chronicle, temporaries: replay.steps.temporaries)
    }

    // MARK: - Rows

    /// Fills the tables that are empty, and adds rows to those that have columns they did not have.
    /// - Parameter before: the state before the step; nil where all tables are new.
    private mutating func fill(
        _ state: DatabaseState, _ before: DatabaseState?, after index: Int, _ opened: OpenedSnapshot
    ) async throws -> DatabaseState {
        let tables = ProbeTables(before: before, after: state)
        guard !tables.candidates.isEmpty else { return state }
        let schema = reader.schema(of: state.catalog)
        var wanted = try await withConnection(to: opened) { try tables.wanted($0, schema) }
        // What is recorded there was applied.
        wanted.subtract(context.command?.format.recordingTables ?? [])
        wanted.subtract(context.set.format.sharedTables.map(\.foldedASCII))
        guard !wanted.isEmpty else { return state }
        var request = RowRequest(schema: schema, tables: wanted)
        request.later = later.after(index + 1)
        request.statements = parent.source.statements
        (request.rowCount, request.seed) = (parent.source.options.rowCount, parent.source.options.seed)
        (request.round, request.earlier) = (round, generated)
        round += 1
        let (generator, filled) = (parent.source.generator, request)
        let rows = try await withConnection(to: opened) { connection in
            let rows = try generator.insertOrdinaryRows(filled, on: connection)
            try connection.checkpoint()
            return rows
        }
        for row in rows.rows { generated[row.table.foldedASCII, default: 0] += 1 }
        for name in wanted { empty[name] = nil }
        for table in rows.empty { empty[table.table.foldedASCII] = table }
        replay.result.summary.rowsGenerated += rows.rows.count
        let (image, footprint) = opened.overlay.freeze()
        replay.steps.changedPages?.formUnion(footprint.pages)
        var next = try await replay.inspector.inspect(image, earlier: state, footprint: footprint)
        next.searchEntries = state.searchEntries
        return next
    }

    /// Uses the replay's connection, which is closed where the project's own command writes.
    private func withConnection<Result: Sendable>(
        to opened: OpenedSnapshot, _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        guard context.command != nil else { return try await opened.database.withConnection(body) }
        return try await context.engine.useWhole(opened.overlay, settings: context.settings(parent.watchdog))
        {
            try await $0.withConnection(body)
        }
    }

    /// Adds the fewest rows that show a finding to the gravest ones.
    private mutating func addCounterexamples() async throws {
        for index in replay.result.findings.indices where runs > 0 {
            let finding = replay.result.findings[index]
            guard finding.severity == .error, finding.counterexample == nil,
                let scene = finding.migration.flatMap({ scenes[$0] })
            else { continue }
            let search = CounterexampleSearch(scene: scene, schema: reader.schema(of: scene.before.catalog))
            replay.result.findings[index].counterexample = try await search.counterexample(
                of: finding, &runs)
        }
    }
}

extension BatchRun.Outcome {
    /// Whether only the COMMIT was refused, since rows reference parents that do not exist.
    fileprivate var isRefusedCommit: Bool {
        guard let error = failure?.error as? RunnerFailure, error.moment == .commit else { return false }
        return (error.error as? EngineError)?.isForeignKeyViolation == true
    }
}
