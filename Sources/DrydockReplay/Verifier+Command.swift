import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine

/// Verifies migrations that only the project's own command can run.
extension Verifier {
    /// What is known before the first snapshot is opened.
    struct Loaded: Sendable {
        var set: MigrationSet
        /// All readings of the migrations, of which ``set`` is the first; nil where they were not read from a folder.
        var readings: Readings?
        /// The project's own command, and what it made of an empty database.
        var command: CommandProject?
        /// Set when there was not enough time.
        var overdue: Overdue?
        /// Why no snapshot is replayed.
        var obstacle: Finding?
    }

    func load(
        _ command: ProjectCommand, _ request: VerifyRequest, _ snapshots: [Snapshot], _ budget: TimeBudget
    ) async throws -> Loaded {
        var loaded = Loaded(
            set: CommandFormat(command: command, history: command.history, versions: []).set(
                nil, folder: command.folder))
        let fence = CommandFence(command, snapshots: snapshots)
        let watchdog = Watchdog(deadline: budget.firstDeadline)
        var settings = ConnectionSettings()
        settings.functions = request.functions
        settings.collations = request.collations
        settings.interrupt = { watchdog.isTripped }
        let opener = SnapshotOpener(engine: engine, settings: settings)
        var overdue = Overdue(limit: budget.limit ?? .zero, isFreshInstall: true)
        overdue.running = command.command
        do {
            let project = try await BoundedWait(watchdog: watchdog).result {
                try await CommandProject.load(
                    command, base: request.format.base, upTo: request.upTo, snapshots: snapshots, fence,
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

    /// Returns a context in which the command runs the migrations. Another engine would run the same command, which brings
    /// its own SQLite.
    func context(_ context: ReplayContext, running project: CommandProject?, _ report: inout Report)
        -> ReplayContext
    {
        guard let project else { return context }
        var context = context
        context.command = project
        if context.other != nil {
            report.notChecked.append(
                NotChecked(
                    .engineDivergence,
                    .unsupported("the project's own command brings its own SQLite, which runs the migrations")
                ))
        }
        context.other = nil
        return context
    }

    /// Returns the error where there is no snapshot.
    func missingSnapshots(_ command: ProjectCommand, _ error: RequestError) -> RequestError {
        RequestError(
            error.reason,
            "\(error.description), so there is no snapshot on which '\(command.command)' could be run. Copy a database "
                + "that a released version left there into that folder, or name one: drydock verify app.sqlite. "
                + "Rows cannot be generated: \(Self.needsList(command))")
    }
}

extension FreshInstall {
    /// Reads what the project's own command made of an empty database.
    static func make(
        _ project: CommandProject, _ context: ReplayContext, _ watchdog: Watchdog
    ) async throws -> FreshInstall {
        var fresh = FreshInstall()
        fresh.passed = project.passed
        fresh.failure = project.failure.map { InstallFailure($0, of: project) }
        let inspector = context.inspector(watchdog)
        for (count, image) in project.made { fresh.catalogs[count] = try await inspector.catalog(of: image) }
        return fresh
    }
}
