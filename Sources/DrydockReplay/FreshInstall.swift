import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS
import SQLiteSchema

/// The result of all migrations on an empty database, as on a new user's first launch; where the tool keeps the schema
/// of a version beside its migrations, that schema.
package struct FreshInstall: Sendable {
    /// The schemas by the number of migrations that made them.
    package var catalogs: [Int: Catalog] = [:]
    /// What exists before the first migration; set only if the schema's history is requested.
    package var base: Catalog?
    /// The number of migrations that ran on an empty database.
    var passed = 0
    /// Why the install did not complete.
    package var failure: InstallFailure?
    /// Set when there was not enough time to complete.
    package var overdue: Overdue?

    package init(
        catalogs: [Int: Catalog] = [:], base: Catalog? = nil, passed: Int = 0, failure: InstallFailure? = nil,
        overdue: Overdue? = nil
    ) {
        self.catalogs = catalogs
        self.base = base
        self.passed = passed
        self.failure = failure
        self.overdue = overdue
    }

    /// Whether a migration succeeds when there are no rows.
    package func passes(_ index: Int) -> Bool { index < passed }

    package static func make(
        _ context: ReplayContext, until deadline: ContinuousClock.Instant?
    ) async throws -> FreshInstall {
        let watchdog = Watchdog(deadline: deadline)
        do {
            let made = try await BoundedWait(watchdog: watchdog).result { try await make(context, watchdog) }
            if let made, !watchdog.hasCutShort { return made }
        } catch let error as EngineError where error.isInterrupt && watchdog.isTimeUp {
            // The message is the same wherever the install stopped.
        }
        let place = watchdog.statements.place
        let migration = context.set.migrations.first { $0.path == place?.file }
        return FreshInstall(
            failure: InstallFailure("it took longer than the time limit"),
            overdue: Overdue(
                limit: context.timeLimit, migration: migration?.identifier, place: place, isFreshInstall: true
            ))
    }

    private static func make(_ context: ReplayContext, _ watchdog: Watchdog) async throws -> FreshInstall {
        var fresh = try await migrated(context, watchdog)
        try await fresh.failure?.explain(context, watchdog)
        guard context.wantsHistory, context.set.base != nil, !fresh.catalogs.isEmpty else { return fresh }
        let maker = DatabaseMaker(engine: context.engine, settings: context.settings(watchdog))
        let tables = context.set.format.ownTables
        fresh.base = try await maker.run([], on: try await maker.base(context.set.base)) {
            try Catalog($0, without: tables, earlier: nil)
        }
        return fresh
    }

    private static func migrated(_ context: ReplayContext, _ watchdog: Watchdog) async throws -> FreshInstall
    {
        if let project = context.command { return try await make(project, context, watchdog) }
        guard context.set.expected.isEmpty else { return try await expected(context, watchdog) }
        let walk = context.cache?.install.begin(
            context.set.migrations,
            from: WalkStart(
                format: context.set.format.name, policy: context.set.policy, base: context.set.base))
        var fresh = walk?.last?.install ?? FreshInstall()
        let maker = DatabaseMaker(engine: context.engine, settings: context.settings(watchdog))
        let overlay: Overlay
        if let last = walk?.last {
            overlay = try Overlay(last.image)
        } else {
            overlay = try await maker.base(context.set.base)
        }
        try await context.engine.use(overlay, settings: context.settings(watchdog)) { database in
            if let last = walk?.last { try await database.enforceForeignKeys(last.foreignKeys) }
            try await fresh.run(context.set, on: database, overlay, walk)
        }
        return fresh
    }

    /// Runs the migrations that have not been run yet.
    private mutating func run(
        _ set: MigrationSet, on database: any OpenDatabase, _ overlay: Overlay,
        _ walk: CheckpointedWalk<InstallCheckpoint>?
    ) async throws {
        let tables = set.format.ownTables
        for batch in set.batches(of: Array(set.migrations.indices.dropFirst(passed))) {
            var ready: [Migration] = []
            for migration in batch.map({ set.migrations[$0] }) {
                failure = InstallFailure(obstacleOf: migration, of: set.format)
                if failure != nil { break }
                ready.append(migration)
            }
            do {
                if set.policy.isRunByEngine {
                    for migration in ready { _ = try await MigrationRun(migration).apply(to: database) }
                    try await note(batch[0] + 1, ready.count, database, tables)
                    if let walk {
                        let install = self
                        try await database.withConnection { try install.keep(on: $0, overlay, walk) }
                    }
                } else {
                    try await runAsTool(set, batch[0], ready, database, overlay, walk)
                }
            } catch {
                try Task.checkCancellation()
                let index = (error as? BatchFailure)?.index ?? ready.count - 1
                guard ready.indices.contains(index) else { throw error }
                let place = batch[0] + index
                let standIns = try await database.withConnection { connection in
                    try set.standIns.modules.filter { try connection.standsIn(for: $0) }
                }
                failure = InstallFailure(
                    at: place, of: set, error, WriteObstacle(overlay),
                    isBare: catalogs[place]?.tables.isEmpty ?? (place == 0), standIns: standIns)
            }
            if failure != nil { return }
        }
    }

    private mutating func note(
        _ count: Int, _ ran: Int, _ database: any OpenDatabase, _ tables: [String]
    ) async throws {
        guard ran > 0 else { return }
        let earlier = catalogs[count - 1]
        catalogs[count] = try await database.withConnection {
            try Catalog($0, without: tables, earlier: earlier)
        }
        passed = count
    }

    /// Keeps the install so far, where another one is likely to begin.
    private func keep(
        on connection: any Connection, _ overlay: Overlay, _ walk: CheckpointedWalk<InstallCheckpoint>
    ) throws {
        // What keeps it from going on is another migration's, which may be edited.
        guard failure == nil, walk.wants(passed) else { return }
        try connection.checkpoint()
        let checkpoint = InstallCheckpoint(
            install: self, image: overlay.freeze().image, foreignKeys: try connection.enforcesForeignKeys())
        walk.keep(checkpoint, at: passed)
    }

    private mutating func runAsTool(
        _ set: MigrationSet, _ first: Int, _ ready: [Migration], _ database: any OpenDatabase,
        _ overlay: Overlay, _ walk: CheckpointedWalk<InstallCheckpoint>?
    ) async throws {
        guard !ready.isEmpty else { return }
        let tables = set.format.ownTables
        let (install, error) = try await database.withConnection { [self] connection in
            var install = self
            install.passed = first
            let run = ToolRun(connection: connection, set: set)
            do {
                try run.prepare()
                try run.run(ready) { span in
                    let count = first + span.range.upperBound + 1
                    install.catalogs[count] = try Catalog(
                        connection, without: tables, earlier: install.catalogs[count - 1])
                    install.passed = count
                    if let walk { try install.keep(on: connection, overlay, walk) }
                }
            } catch {
                return (install, error as (any Error)?)
            }
            return (install, nil)
        }
        self = install
        if let error { throw error }
    }

    /// Returns the schemas that the tool keeps.
    private static func expected(
        _ context: ReplayContext, _ watchdog: Watchdog
    ) async throws -> FreshInstall {
        var fresh = FreshInstall()
        let tables = context.set.format.ownTables
        for (count, statements) in context.set.expected.sorted(by: { $0.key < $1.key }) {
            do {
                let overlay = try Overlay(emptyNamed: "expected.sqlite")
                let maker = DatabaseMaker(engine: context.engine, settings: context.settings(watchdog))
                fresh.catalogs[count] = try await maker.run(statements, on: overlay) {
                    try Catalog($0, without: tables, earlier: nil)
                }
            } catch {
                try Task.checkCancellation()
                fresh.failure = InstallFailure(
                    ofNewestSchema: statements, of: context.set, error)
            }
        }
        return fresh
    }
}
