import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS

/// A project whose own command migrates: its migrations, and what the command makes of an empty database.
package struct CommandProject: Sendable {
    package let format: CommandFormat
    package let set: MigrationSet
    package let fence: CommandFence
    /// The databases that a number of migrations made from nothing.
    package private(set) var made: [Int: Image] = [:]
    /// How many migrations ran on an empty database.
    private(set) var passed = 0
    /// Why the command does not succeed on an empty database.
    private(set) var failure: CommandFailure?

    /// Runs `list`, and the command on an empty database.
    /// - Parameter target: the last migration to run; nil for the newest.
    /// - Throws: ``CommandFailure`` if `list` fails, the time is up, or the command does not touch the database;
    ///   ``RequestError`` where the settings do not fit together.
    package static func load(
        _ command: ProjectCommand, base: SchemaBase?, upTo target: String?, snapshots: [Snapshot],
        _ fence: CommandFence, _ opener: SnapshotOpener, _ watchdog: Watchdog
    ) async throws -> CommandProject {
        guard FolderListing.isFolder(command.folder) else {
            throw RequestError(
                .notFound, "there is no folder '\(command.folder)', in which 'migrate: command' runs")
        }
        let maker = DatabaseMaker(engine: opener.engine, settings: opener.settings)
        func run(_ format: CommandFormat) -> CommandRun {
            CommandRun(
                format, fence: fence, engine: opener.engine, settings: opener.settings, watchdog: watchdog)
        }
        let unread = CommandFormat(command: command, history: command.history, versions: [])
        let names = try await run(unread).names(on: try await maker.base(base))
        var whole: Image?
        var failure: CommandFailure?
        do {
            whole = try await run(unread).apply(nil, on: try await maker.base(base)).image
        } catch let error as CommandFailure {
            // A command that needs the name of a migration fails without one.
            guard !error.isFinal else { throw error }
            if names == nil, error.kind == .changedNothing, fence.sawAccess { throw error }
            failure = error
        }
        if !fence.sawAccess, failure != nil, let newest = names?.last {
            // The newest one undoes nothing, whatever database it opens.
            let last = (name: newest, step: names?.count ?? 0)
            do {
                _ = try await run(unread).apply(last, on: try await maker.base(base))
            } catch let error as CommandFailure {
                if error.isFinal { throw error }
            }
        }
        guard fence.sawAccess else { throw run(unread).ignoredCopy(failure) }
        let reader = HistoryReader(opener: opener)
        var history = command.history
        if history == nil { history = try await reader.find(in: whole, snapshots) }
        var versions = try await reader.applied(history, in: whole)
        if let names, history == nil, whole == nil {
            // What the first of them makes may show it.
            let overlay = try await maker.base(base)
            let first = try await run(unread).apply((names[0], 1), on: overlay).image
            history = try await reader.find(in: first, [])
            versions = try await reader.applied(history, in: first)
        }
        if let names {
            guard let history else { throw Self.unknownHistory }
            try Self.compare(names, with: versions, history)
        }
        let format = CommandFormat(
            command: command, history: history, versions: whole == nil ? [] : versions)
        var set = format.set(names, folder: command.folder)
        set.base = base
        var project = CommandProject(format: format, set: set, fence: fence)
        let isComplete = history?.isNewestOnly == true || names.map { Set($0).isSubset(of: versions) } ?? true
        if let whole, isComplete {
            (project.made[set.migrations.count], project.passed) = (whole, set.migrations.count)
        } else {
            project.failure = failure
        }
        // The states between are needed where the replays end before the newest, or there is no other way to the end.
        let end = target.flatMap { set.index(of: $0) }.map { $0 + 1 } ?? set.migrations.count
        if names != nil, project.made[end] == nil {
            try await project.step(to: end, on: try await maker.base(base), run(format))
        }
        return project
    }

    /// Whether the state that each migration leads to is known.
    package var hasEveryVersion: Bool { (1...max(1, set.migrations.count)).allSatisfy { made[$0] != nil } }

    /// Returns the project with the states between that an empty database comes to: a run of the command for each.
    /// - Throws: ``CommandFailure`` if the time is up.
    package func withEveryVersion(upTo end: Int, on overlay: Overlay, _ run: CommandRun) async throws
        -> CommandProject
    {
        var project = self
        let whole = made[end]
        try await project.step(to: end, on: overlay, run)
        // A project may make a new database in another way than it upgrades an old one.
        if let whole { project.made[end] = whole }
        return project
    }

    /// Applies the migrations to an empty database one by one.
    private mutating func step(to end: Int, on overlay: Overlay, _ run: CommandRun) async throws {
        failure = nil
        passed = 0
        for (index, migration) in set.migrations.prefix(end).enumerated() {
            do {
                made[index + 1] = try await run.apply(migration, at: index, of: set, on: overlay).image
                passed = index + 1
            } catch let error as CommandFailure
                where !error.isFinal && (index > 0 || error.kind != .changedNothing)
            {
                failure = error
                return
            }
        }
    }

    private static var unknownHistory: RequestError {
        RequestError(
            .settingInvalid,
            "'migrate: list' names the migrations, but no table that Drydock knows says which of them a database has "
                + "applied; write a query that returns their names: 'migrate: history'")
    }

    /// Refuses names that are not those of the history: each migration would seem to be pending.
    private static func compare(
        _ names: [String], with versions: [String], _ history: CommandHistory
    ) throws {
        guard let version = versions.first, Set(names).isDisjoint(with: versions) else { return }
        throw RequestError(
            .settingInvalid,
            "'migrate: list' calls the migrations '\(names[0])' and the like, and the history '\(version)': both must "
                + "have the same names. The history is read with: \(history.query)")
    }
}

/// Reads what databases have applied.
private struct HistoryReader {
    let opener: SnapshotOpener

    /// Returns the history of a database that the command made, otherwise of the first snapshot that has one.
    func find(in image: Image?, _ snapshots: [Snapshot]) async throws -> CommandHistory? {
        if let image {
            let facts = try await withConnection(to: image) { try HistoryFacts($0) }
            return CommandHistory.find(in: facts)
        }
        for snapshot in snapshots {
            // A snapshot that cannot be read is reported when it is replayed.
            guard let facts = try? await opener.facts(of: snapshot) else { continue }
            if let history = CommandHistory.find(in: facts) { return history }
        }
        return nil
    }

    func applied(_ history: CommandHistory?, in image: Image?) async throws -> [String] {
        guard let history, let image else { return [] }
        do {
            return try await withConnection(to: image) { try CommandFormat.applied(history, $0) }
        } catch let error as EngineError where !error.isInterrupt {
            throw RequestError(
                .settingInvalid,
                "'migrate: history' cannot be read in a database that the command made: \(error.message)")
        }
    }

    private func withConnection<Result: Sendable>(
        to image: Image, _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await opener.engine.use(try Overlay(image), settings: opener.settings) {
            try await $0.withConnection(body)
        }
    }
}
