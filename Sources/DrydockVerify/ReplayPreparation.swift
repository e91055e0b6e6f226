import DatabaseEngine
import DrydockConservation
import DrydockCrash
import DrydockFindings
import DrydockLibraries
import DrydockLock
import DrydockMigrations
import DrydockReplay
import DrydockState

/// Prepares replays: makes what they need besides a snapshot.
package struct ReplayPreparation: Sendable {
    let loader: MigrationLoader
    /// Another engine, which must have the same result for every step; nil for none.
    let other: (any Engine)?
    let cache: ReplayCache?
    /// What the runs for other databases have made; nil where there is only this one.
    let share: ReplayShare?
    let listener: (any ReplayListener)?

    private var engine: any Engine { loader.engine }

    /// Returns what replays of a request need besides a snapshot: that of the share, if there is one.
    package func prepared(
        _ request: VerifyRequest, _ snapshots: [Snapshot]
    ) async throws -> ReplayShare.Made {
        guard let share else { return try await prepare(request, snapshots) }
        return try await share.made { try await prepare(request, snapshots) }
    }

    private func prepare(
        _ request: VerifyRequest, _ snapshots: [Snapshot]
    ) async throws -> ReplayShare.Made {
        let budget = TimeBudget(request.timeout)
        let loaded = try await loader.load(request, snapshots, budget)
        let locked = try LockVerdict(request, loaded.set)
        guard loaded.obstacle == nil, loaded.overdue == nil, !loaded.set.migrations.isEmpty else {
            return ReplayShare.Made(loaded: loaded, locked: locked)
        }
        let context = try await makeContext(request, loaded.set, locked.check)
        let fresh = try await FreshInstall.make(context, until: budget.firstDeadline)
        return ReplayShare.Made(loaded: loaded, locked: locked, context: context, fresh: fresh)
    }

    /// Returns the context of the replays of a run, and the fresh install that they are compared with.
    func ready(
        _ request: VerifyRequest, _ loaded: LoadedMigrations, _ lock: LockCheck?, _ budget: TimeBudget,
        _ shared: ReplayShare.Made?, _ report: inout Report
    ) async throws -> (ReplayContext, FreshInstall) {
        if let context = shared?.context, let fresh = shared?.fresh { return (context, fresh) }
        let context = self.context(
            try await makeContext(request, loaded.set, lock), running: loaded.command, &report)
        return (context, try await FreshInstall.make(context, until: budget.firstDeadline))
    }

    package func makeContext(
        _ request: VerifyRequest, _ set: MigrationSet, _ lock: LockCheck?
    ) async throws -> ReplayContext {
        var targetCount = set.migrations.count
        if let upTo = request.upTo { targetCount = try set.requiredIndex(of: upTo, in: set.folder) + 1 }
        try listener?.check(set)
        var set = set
        try set.declare(request.migrations.declarations)
        let declarations = Dictionary(
            set.migrations.map { ($0.identifier, $0.declarations) }, uniquingKeysWith: { first, _ in first })
        var context = ReplayContext(
            engine: engine, set: set, targetCount: targetCount, declarations: declarations,
            functions: request.migrations.functions, collations: request.migrations.collations)
        (context.checks, context.listener) = (try await checks(request), listener)
        (context.baselines, context.cache) = (try await baselines(request, set, lock), cache)
        (context.lock, context.isFullCheck) = (lock, request.checks.isFull)
        (context.isRehearsal, context.wantsHistory) = (request.rehearsal != nil, request.wantsHistory)
        context.timeLimit = request.timeout ?? .zero
        context.earlierLineage = EarlierLineage(set.migrations)
        context.connections = ConnectionPool(
            engine: engine, settings: context.settings(Watchdog(deadline: nil)), limit: 64, isFork: true)
        return context
    }

    /// Returns what a request asks to be checked besides the rules of a step.
    private func checks(_ request: VerifyRequest) async throws -> [any StepCheck] {
        var checks: [any StepCheck] = []
        if let other { checks.append(SecondEngine(engine: other)) }
        if request.checks.rollback { checks.append(WayBack()) }
        let builds = try await LibrarySurvey(program: request.checks.libraryProgram).builds(
            request.checks.sqliteLibraries)
        if !builds.isEmpty {
            checks.append(OtherLibraries(builds: builds, program: request.checks.libraryProgram))
        }
        if let limits = CrashLimits(request) {
            // The kind of crash that gives a finding is wanted, and no other.
            checks += listener == nil ? [limits] : limits.kinds
        }
        return checks
    }

    private func baselines(
        _ request: VerifyRequest, _ set: MigrationSet, _ lock: LockCheck?
    ) async throws -> BaselineStore? {
        guard request.cacheFolder != nil || lock != nil else { return nil }
        let key = try await BaselineKey(
            engine, set, functions: request.migrations.functions, collations: request.migrations.collations)
        return BaselineStore(folder: request.cacheFolder, key: key)
    }

    /// Returns a context in which the command runs the migrations. Another engine would run the same command, which brings
    /// its own SQLite.
    private func context(
        _ context: ReplayContext, running project: CommandProject?, _ report: inout Report
    ) -> ReplayContext {
        guard let project else { return context }
        var context = context
        context.command = project
        if context.checks.contains(where: { $0 is SecondEngine }) {
            report.notChecked.append(
                NotChecked(
                    .engineDivergence,
                    .unsupported(
                        "the project's own command includes its own SQLite, which runs the migrations")
                ))
        }
        context.checks.removeAll { $0 is SecondEngine }
        return context
    }
}

extension CrashLimits {
    /// - Returns: nil where no crashes are tried.
    fileprivate init?(_ request: VerifyRequest) {
        guard request.checks.crashes || request.checks.crashWrites else { return nil }
        self.init(states: request.checks.crashStates)
        includesWrites = request.checks.crashWrites
    }
}
