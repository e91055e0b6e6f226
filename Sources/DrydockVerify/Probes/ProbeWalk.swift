import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockProbes
import DrydockReplay
import DrydockState
import OverlayVFS

/// One way through the migrations, from a version on.
struct ProbeWalk {
    let parent: ProbeReplay
    let later: LaterSchemas
    /// The number of migrations that run before there are rows.
    private let start: Int
    private let inputs: ReplayInputs
    private let inspection: StepInspection
    private var observers: StepObservers
    /// What was found so far.
    var record: ReplayRecord
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
    var fixtures: [String: StepFixture] = [:]

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
        inputs = ReplayInputs(
            context: parent.context, snapshot: Snapshot(path: name), fresh: parent.fresh,
            watchdog: parent.watchdog)
        inspection = StepInspection(inputs: inputs)
        observers = StepObservers(inputs)
        record = ReplayRecord(of: inputs.snapshot)
        record.result.summary.name = name
        record.result.summary.isProbe = true
    }

    var context: ReplayContext { parent.context }

    /// - Parameter isLast: whether no other walk comes to the migrations after the one that failed.
    func result(isLast: Bool) -> ReplayResult {
        var result = record.result
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
        record.result.isUpToDate = !context.targets.contains(where: parent.isChecked)
        try ReplayConclusion(inputs: inputs).conclude(&record, after: failure, since: begin)
        // What a tool keeps there, it makes again after each run.
        let filled = Set((context.command?.format.history?.filledTables ?? []).map(\.foldedASCII))
        record.result.findings.removeAll { $0.table.map { filled.contains($0.foldedASCII) } ?? false }
        guard failure == nil else { return }
        for table in empty.values.sorted(by: { $0.table < $1.table }) {
            record.notChecked(.rowsLost, .noGeneratedRows(table: table.table, because: table.reason))
        }
        noteLeftOut()
        try await addCounterexamples()
        record.result.summary.seconds = (ContinuousClock.now - begin).inSeconds
    }

    private mutating func walk() async throws {
        let overlay = try await first()
        let database = try await ReplayStart(inputs: inputs).open(overlay)
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
        let beginning = ReplayStart(inputs: inputs)
        guard let plan = try await beginning.makePlan(database, &record) else { return }
        let opened = OpenedSnapshot(
            overlay: overlay, database: database, plan: plan, recognition: nil,
            image: overlay.freeze().image)
        // A connection would not notice what a command writes.
        if context.command != nil { try await database.close() }
        guard let baselined = try await beginning.takeBaseline(of: opened, nil, &record) else { return }
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
        let replayed = ReplayedSnapshot(
            baseline: baselined, plan: plan, end: state,
            isWhole: plan.pending.count == record.result.summary.steps.count)
        try await EndChecks(inputs: inputs).run(replayed, &record)
    }

    // MARK: - A step

    /// Runs the next migration, with those after it that its tool must commit together with it.
    /// - Returns: how many migrations ran.
    private mutating func step(
        _ state: inout DatabaseState, _ pending: ArraySlice<Int>, _ opened: OpenedSnapshot
    ) async throws -> Int {
        let runner = StepRunner(inputs, on: opened, notesIdle: true)
        let (ready, _) = runner.runnable([pending[pending.startIndex]], &record)
        guard var batch = ready.first.map({ [$0] }) else { return 0 }
        record.current = batch[0].identifier
        announce(batch[0], opened.plan)
        let work = WorkLimit(steps: parent.source.options.instructionLimit)
        let conditions = inputs.repeatableConditions(on: opened.overlay)
        var outcome = try await parent.watchdog.limiting(work) { try await runner.run(batch) }
        // A shared transaction may repair later what the COMMIT refuses here.
        while outcome.isRefusedCommit, batch[0].transaction == .all, batch.count < pending.count {
            let following = context.set.migrations[pending[pending.startIndex + batch.count]]
            guard following.transaction == .all,
                let next = runner.runnable([pending[pending.startIndex + batch.count]], &record).ready.first
            else { break }
            batch.append(next)
            let longer = batch
            outcome = try await parent.watchdog.limiting(work) { try await runner.run(longer) }
        }
        if work.hasStopped, outcome.failure != nil { outcome.obstacle = "it did not finish" }
        let begin = StepStart(migrations: batch, before: state, temporaries: record.steps.temporaries)
        for reached in outcome.reached {
            guard try await take(reached, &state, opened) else { return batch.count }
        }
        if batch.contains(where: parent.isChecked) {
            let run = ObservedRun(start: begin, outcome: outcome, conditions: conditions, opened: opened)
            try await observers.observe(run, &record)
        }
        if let (migration, error) = outcome.failure {
            let index = context.set.index(of: migration.identifier) ?? 0
            record.current = migration.identifier
            failedAt = index
            if work.hasStopped {
                if parent.isChecked(migration) { record.add(endless(migration)) }
                return batch.count
            }
            guard let finding = try await inspection.failure(error, migration, index, state) else {
                throw error
            }
            guard parent.isChecked(migration) else { return batch.count }
            note(Array(batch.prefix { $0.identifier != migration.identifier }) + [migration], state)
            let missing = missingBase(finding, index, state)
            record.add(missing ?? WriteObstacle(opened.overlay).explaining(finding, error))
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
            "\(migration.identifier) does not finish with generated rows: it was stopped after "
                + "\(limit) instructions of SQLite" + (place.map { ", in \($0.text)" } ?? ""),
            help:
                "A statement that never ends needs a different condition. If this one only takes long, verify databases of "
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
            "\(first.identifier) changes a schema that no migration creates, so there is nothing to generate rows for: "
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
        record.note(reached)
        let before = state
        let isChecked = reached.migrations.contains(where: parent.isChecked)
        if isChecked { note(reached.migrations, before) }
        let after = try await inspection.inspect(reached, from: before, &record)
        if let command = context.command, let name = reached.migrations.last?.identifier {
            fixtures[name]?.touched = TouchedTables(from: before, to: after).names
                .subtracting(command.format.tablesOfTool)
        }
        let index = reached.migrations.last.flatMap { context.set.index(of: $0.identifier) } ?? 0
        if let finding = try await inspection.refusal(reached, after, from: before) {
            record.removeCounts(reached)
            if isChecked { record.add(finding) }
            failedAt = index
            return false
        }
        if isChecked {
            let start = StepStart(
                migrations: reached.migrations, before: before, temporaries: record.steps.temporaries)
            state = try await inspection.judge(reached.step, from: before, to: after, &record)
            try await observers.observe(JudgedStep(start: start, reached: reached, after: state), &record)
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
                snapshot: inputs.snapshot.path, migration: migration.identifier,
                number: record.result.summary.steps.count + 1, of: plan.pending.count))
    }

    private mutating func note(_ migrations: [Migration], _ before: DatabaseState) {
        guard let last = migrations.last else { return }
        fixtures[last.identifier] = StepFixture(
            migrations: migrations, before: before, context: context, watchdog: parent.watchdog,
            earlierLineage: inputs.earlierLineage, temporaries: record.steps.temporaries)
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
        record.result.summary.rowsGenerated += rows.rows.count
        let (image, footprint) = opened.overlay.freeze()
        record.steps.changedPages?.formUnion(footprint.pages)
        var next = try await inputs.inspector.inspect(image, earlier: state, footprint: footprint)
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
        for index in record.result.findings.indices where runs > 0 {
            let finding = record.result.findings[index]
            guard finding.severity == .error, finding.counterexample == nil,
                let fixture = finding.migration.flatMap({ fixtures[$0] })
            else { continue }
            let search = CounterexampleSearch(
                fixture: fixture, schema: reader.schema(of: fixture.before.catalog))
            record.result.findings[index].counterexample = try await search.counterexample(
                of: finding, &runs)
        }
    }
}

extension BatchRun.Outcome {
    /// Whether only the COMMIT was refused, since rows reference parents that do not exist.
    fileprivate var isRefusedCommit: Bool {
        guard let error = failure?.error as? RunnerFailure, error.phase == .commit else { return false }
        return (error.error as? EngineError)?.isForeignKeyViolation == true
    }
}
