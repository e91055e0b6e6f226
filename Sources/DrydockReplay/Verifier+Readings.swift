import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine

/// Verifies migrations that more than one tool may run, as each of them would.
extension Verifier {
    /// Verifies the given snapshots in every reading of the migrations.
    func verifyReadings(
        _ snapshots: [Snapshot], _ request: VerifyRequest, _ known: MigrationSet?
    ) async throws -> (Report, [ReplayResult]) {
        guard known == nil, share == nil, request.command == nil else {
            return try await verifySnapshots(snapshots, request, known)
        }
        let loaded = try await load(request, snapshots, TimeBudget(request.timeout), nil)
        guard let readings = loaded.readings, readings.all.count > 1, loaded.overdue == nil else {
            return try await verifySnapshots(snapshots, request, nil, loaded)
        }
        if let catcher { return try await verifyUntilCaught(snapshots, request, readings, catcher) }
        var parts: [Report.OfReading] = []
        var results: [ReplayResult] = []
        for (reading, summary) in zip(readings.all, readings.summaries) {
            let one = Loaded(set: reading.set)
            let (report, found) = try await verifier(of: summary, isFirst: parts.isEmpty)
                .verifySnapshots(snapshots, request, nil, one)
            if parts.isEmpty { results = found }
            parts.append(Report.OfReading(summary, report, covers: readings.scope(of: reading)))
        }
        guard let report = Report.merged(parts) else { return (Report(.verify(VerifySummary())), []) }
        let ofSnapshot = Dictionary(grouping: report.findings, by: \.snapshot)
        for replay in report.replays where !replay.isProbe {
            onEvent(.replayed(replay, ofSnapshot[replay.snapshot] ?? []))
        }
        return (report, results)
    }

    /// Returns the verifier of one reading. A snapshot is complete when all readings of it are.
    private func verifier(of reading: ReportReading, isFirst: Bool) -> Verifier {
        var verifier = self
        verifier.readingName = isFirst ? "" : reading.name
        verifier.memory = memory?.reading(reading.name)
        verifier.onEvent = { [onEvent] event in
            switch event {
            case .began where isFirst, .step: onEvent(event)
            case .began, .replayed: break
            }
        }
        return verifier
    }

    /// Verifies one reading after the other until one has the finding that is to be made small.
    private func verifyUntilCaught(
        _ snapshots: [Snapshot], _ request: VerifyRequest, _ readings: Readings, _ catcher: SceneCatcher
    ) async throws -> (Report, [ReplayResult]) {
        var parts: [Report.OfReading] = []
        for (reading, summary) in zip(readings.all, readings.summaries) {
            catcher.restart()
            let (report, results) = try await verifySnapshots(
                snapshots, request, nil, Loaded(set: reading.set))
            let isFound = report.findings.contains { $0.severity > .note && catcher.target.matches($0) }
            if catcher.first != nil || isFound { return (report, results) }
            parts.append(Report.OfReading(summary, report))
        }
        return (Report.merged(parts) ?? Report(.verify(VerifySummary())), [])
    }

    /// Reads the migrations, and the snapshots' histories where the folder alone does not show its format.
    func load(
        _ request: VerifyRequest, _ snapshots: [Snapshot], _ budget: TimeBudget, _ known: MigrationSet?
    ) async throws -> Loaded {
        if let known { return Loaded(set: known) }
        if let command = request.command { return try await load(command, request, snapshots, budget) }
        let watchdog = Watchdog(deadline: budget.firstDeadline)
        do {
            let readings = try await BoundedWait(watchdog: watchdog).result {
                try await load(request, snapshots, watchdog)
            }
            if let readings {
                let overdue = Overdue(limit: budget.limit ?? .zero, place: watchdog.statements.place)
                return Loaded(
                    set: readings.all[0].set, readings: readings,
                    overdue: watchdog.hasCutShort ? overdue : nil)
            }
        } catch  where watchdog.hasCutShort {
            try Task.checkCancellation()
        }
        throw RequestError(
            .limitReached,
            TimeLimitText.fact(budget.limit ?? .zero, at: watchdog.statements.place)
                + (watchdog.statements.place == nil ? ": the migrations were being read" : ""),
            quote: TimeLimitText.remedy, file: watchdog.statements.place?.file,
            line: watchdog.statements.place?.line)
    }

    private func load(
        _ request: VerifyRequest, _ snapshots: [Snapshot], _ watchdog: Watchdog
    ) async throws -> Readings {
        var choice = try FormatChoice(
            folder: request.migrationsFolder, named: request.migrationFormat, options: request.format,
            memory: memory?.files ?? FileMemory())
        choice.locked = lockedFormat(request)
        var settings = ConnectionSettings()
        settings.functions = request.functions
        settings.collations = request.collations
        settings.interrupt = { watchdog.isTripped }
        settings.statements = watchdog.statements
        let readings = try choice.readings(try await histories(of: snapshots, choice, settings))
        // A live database is migrated in one way.
        if request.isRehearsal { _ = try readings.single(isRecorded: request.isApplied) }
        return readings
    }
}
