import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay

/// Reads the migrations of a request, and the snapshots' histories where the folder alone does not show its format.
struct MigrationLoader: Sendable {
    let engine: any Engine
    /// What is known of files.
    let files: FileCache
    /// The histories that decide whose the migrations are; nil to read those of the snapshots.
    let histories: [HistoryFacts]?

    func load(
        _ request: VerifyRequest, _ snapshots: [Snapshot], _ budget: TimeBudget
    ) async throws -> LoadedMigrations {
        if let command = request.command { return try await load(command, request, snapshots, budget) }
        let watchdog = Watchdog(deadline: budget.firstDeadline)
        do {
            let readings = try await BoundedWait(watchdog: watchdog).result {
                try await read(request, snapshots, watchdog)
            }
            if let readings {
                let overdue = Overdue(limit: budget.limit ?? .zero, place: watchdog.statements.place)
                return LoadedMigrations(
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

    private func read(
        _ request: VerifyRequest, _ snapshots: [Snapshot], _ watchdog: Watchdog
    ) async throws -> Readings {
        var choice = try FormatChoice(request.migrations, cache: files)
        choice.locked = request.lockedFormat
        var settings = ConnectionSettings()
        settings.functions = request.migrations.functions
        settings.collations = request.migrations.collations
        settings.interrupt = { watchdog.isTripped }
        settings.statements = watchdog.statements
        let known: [HistoryFacts]
        if let histories {
            known = histories
        } else {
            known = try await choice.histories(
                of: snapshots, SnapshotOpener(engine: engine, settings: settings))
        }
        let readings = try choice.readings(known)
        // A live database is migrated in one way.
        if let rehearsal = request.rehearsal {
            _ = try readings.single(isRecorded: rehearsal == .isApplied)
        }
        return readings
    }

    /// Has the project's own command run on an empty database.
    private func load(
        _ command: ProjectCommand, _ request: VerifyRequest, _ snapshots: [Snapshot], _ budget: TimeBudget
    ) async throws -> LoadedMigrations {
        var loaded = LoadedMigrations(
            set: CommandFormat(command: command, history: command.history, versions: []).set(
                nil, folder: command.folder))
        let fence = CommandFence(command, snapshots: snapshots)
        let watchdog = Watchdog(deadline: budget.firstDeadline)
        var settings = ConnectionSettings()
        settings.functions = request.migrations.functions
        settings.collations = request.migrations.collations
        settings.interrupt = { watchdog.isTripped }
        let opener = SnapshotOpener(engine: engine, settings: settings)
        var overdue = Overdue(limit: budget.limit ?? .zero, isFreshInstall: true)
        overdue.running = command.command
        do {
            let project = try await BoundedWait(watchdog: watchdog).result {
                try await CommandProject.load(
                    command, base: request.migrations.options.base, upTo: request.upTo, snapshots: snapshots,
                    fence,
                    opener,
                    watchdog)
            }
            guard let project, !watchdog.hasCutShort else {
                loaded.overdue = overdue
                return loaded
            }
            (loaded.set, loaded.command) = (project.set, project)
        } catch let failure as CommandFailure {
            try Task.checkCancellation()
            if watchdog.isTimeUp {
                (overdue.running, overdue.lines) = (failure.command, failure.lines)
                loaded.overdue = overdue
            } else {
                loaded.obstacle = fence.breach(command) ?? failure.finding(nil)
            }
        } catch  where watchdog.hasCutShort {
            try Task.checkCancellation()
            loaded.overdue = overdue
        }
        return loaded
    }

    /// Returns the formats in which a request's migrations can be read, the one that is used first, with what their tools would
    /// do otherwise than others; that is empty where it does not matter.
    /// - Throws: ``RequestError`` exactly where a verification would for the migrations.
    func formats(_ request: VerifyRequest, _ snapshots: [Snapshot]) async throws -> [RequestError.Choice] {
        let loaded = try await load(request, snapshots, TimeBudget(request.timeout))
        if let readings = loaded.readings, readings.all.count > 1 {
            return readings.summaries.flatMap { reading in
                reading.formats.map { .init(format: $0, reason: reading.behaviour) }
            }
        }
        let used = RequestError.Choice(format: loaded.set.format.name, reason: "")
        guard request.migrations.format == nil,
            let choice = try? FormatChoice(
                folder: request.migrations.folder, named: nil, options: request.migrations.options),
            let readings = try? choice.readings([])
        else { return [used] }
        return [used]
            + readings.formats.filter { $0 != used.format }.map {
                RequestError.Choice(format: $0, reason: "")
            }
    }
}
