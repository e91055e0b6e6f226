import DrydockFindings
import DrydockMigrations
import DrydockProbes
import DrydockReplay

/// The replays of generated rows where there is no snapshot, or beside them.
struct ProbeVerification: Sendable {
    let generator: RowMaker
    let request: VerifyRequest
    let snapshots: [Snapshot]
    /// See ``Verifier/readingName``.
    let readingName: String
    let onEvent: @Sendable (VerifyEvent) -> Void

    /// Whether rows are generated.
    var isUsed: Bool { isWanted && hasPlaceForRows }

    /// Whether rows would be generated, if there is a moment for it.
    private var isWanted: Bool {
        guard request.rehearsal == nil, request.snapshots.listed?.makesProbes != false else { return false }
        return switch request.probes.use {
        case .always: true
        case .never: false
        case .whereNoSnapshot:
            snapshots.isEmpty && request.snapshots.listed == nil && request.snapshots.paths.isEmpty
                && !request.snapshots.isFolderNamed
        }
    }

    /// Whether there are tables before the last migration: a command that runs all at once makes them and leaves none to
    /// be filled in between.
    private var hasPlaceForRows: Bool {
        request.command.map { $0.list != nil } ?? true || request.migrations.options.base != nil
    }

    /// That no rows are generated, though they are asked for.
    var notChecked: NotChecked? {
        guard isWanted, !hasPlaceForRows, let command = request.command else { return nil }
        return NotChecked(.rowsLost, .unsupported("no rows were generated: \(Self.needsList(command))"))
    }

    static func needsList(_ command: ProjectCommand) -> String {
        "'\(command.command)' applies all migrations at once, so tables cannot be filled between two "
            + "of them. 'migrate: list' in drydock.yml, a command that prints their names, has them run one at "
            + "a time"
    }

    /// Stands for a path where results are kept.
    private static let probeResults = "\u{0}probes"

    /// Replays probes in the time of one snapshot.
    func run(
        _ context: ReplayContext, _ fresh: FreshInstall, until deadline: ContinuousClock.Instant?
    ) async throws -> [ReplayResult] {
        if let known: [ReplayResult] = request.keeping?.results.result(of: Self.probeResults, as: readingName)
        {
            return known
        }
        if let overdue = fresh.overdue { return [Self.result(of: overdue)] }
        let watchdog = Watchdog(deadline: deadline)
        let place = ReplayPlace()
        let noting: @Sendable (VerifyEvent) -> Void = { [onEvent] event in
            if case .step(_, let migration, _, _) = event { place.set(migration) }
            onEvent(event)
        }
        let source = ProbeSource(
            generator: generator, options: request.probes,
            statements: context.set.migrations.flatMap(\.statements))
        let results = try await BoundedWait(watchdog: watchdog).result {
            let replay = ProbeReplay(
                context: context, source: source, fresh: fresh, watchdog: watchdog, onEvent: noting)
            guard let project = context.command, !project.hasEveryVersion else {
                return try await replay.run()
            }
            return try await Self.run(replay, of: project)
        }
        let overdue = Overdue(
            limit: context.timeLimit, migration: place.migration, place: watchdog.statements.place)
        let all = results ?? [Self.result(of: overdue)]
        for result in all { onEvent(.replayed(result.summary, result.findings)) }
        try request.keeping?.results.keep(all, of: Self.probeResults, as: readingName, nil)
        return all
    }

    /// Replays a probe with the project's own command, of which only the newest schema is known.
    ///
    /// What versions in between demand of rows is known once the command has made each of them: a run for each, which is
    /// only worth it where something seems wrong.
    private static func run(_ replay: ProbeReplay, of project: CommandProject) async throws -> [ReplayResult]
    {
        let context = replay.context
        let results = try await replay.run(stopsAtFailure: true)
        let last = context.targets.last?.identifier
        let isSuspicious = results.flatMap(\.findings).contains {
            $0.severity == .error && $0.migration != last
        }
        guard project.format.isStepped, isSuspicious, !replay.watchdog.isTripped,
            let run = context.commandRun(replay.watchdog)
        else { return results }
        let maker = DatabaseMaker(engine: context.engine, settings: context.settings(replay.watchdog))
        do {
            let known = try await project.withEveryVersion(
                upTo: context.targetCount, on: try await maker.base(context.set.base), run)
            var again = replay
            again.context.command = known
            again.fresh = try await FreshInstall.make(known, context, replay.watchdog)
            return try await again.run()
        } catch is CommandFailure {
            return results
        }
    }

    /// Returns the results of probes without what snapshots show already: a fact is one finding, and people's own rows
    /// tell more.
    static func without(_ snapshots: [ReplayResult], from probes: [ReplayResult]) -> [ReplayResult] {
        struct Fact: Hashable {
            var migration: String?
            var identity: FindingIdentity

            init(_ finding: Finding) { (migration, identity) = (finding.migration, FindingIdentity(finding)) }
        }
        let shown = Dictionary(
            snapshots.flatMap(\.findings).map { (Fact($0), $0.severity) }, uniquingKeysWith: max)
        return probes.map { probe in
            var probe = probe
            probe.findings.removeAll { finding in
                finding.migration != nil && shown[Fact(finding)].map { $0 >= finding.severity } ?? false
            }
            return probe
        }
    }

    /// Returns the result where there is no time for generated rows.
    static func result(of overdue: Overdue) -> ReplayResult {
        let name = "probe"
        var result = ReplayResult(summary: ReplaySummary(snapshot: name))
        result.summary.isProbe = true
        result.findings = [overdue.finding(Snapshot(path: name))]
        return result
    }
}
