import DatabaseEngine
import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS
import SQLiteSchema

/// A replay that stands for a step where the step alone does not give a finding.
package protocol RepeatableReplay: Sendable {
    /// Replays a state, and returns what is found of the migration.
    func findings(from image: Image, _ watchdog: Watchdog) async throws -> [Finding]
}

/// A step and the state that it met, so that it can be run again on other rows.
package struct StepFixture: Sendable {
    /// One migration; several where the states between them cannot be observed.
    package var migrations: [Migration]
    package var before: DatabaseState
    package let context: ReplayContext
    package var watchdog: Watchdog
    package let earlierLineage: EarlierLineage
    package let temporaries: Set<String>

    package var statements: [SQLStatement] { migrations.flatMap(\.statements) }
    /// The folded names of the tables that the project's own command touched; nil where statements name them.
    package var touched: Set<String>?
    /// How long the project's own command may run on other rows; nil for as long as there is time.
    var commandLimit: Duration?
    /// The only rules about a state that are checked; all where nil.
    package var rules: Set<Rule>?

    /// What is run in place of the step, where the step alone does not give the finding.
    package var whole: (any RepeatableReplay)?

    /// How much SQLite may still do with these rows; nil for no limit but the run's own.
    var work: WorkLimit?

    package init(
        migrations: [Migration], before: DatabaseState, context: ReplayContext, watchdog: Watchdog,
        earlierLineage: EarlierLineage, temporaries: Set<String>, touched: Set<String>? = nil,
        commandLimit: Duration? = nil, rules: Set<Rule>? = nil, whole: (any RepeatableReplay)? = nil,
        work: WorkLimit? = nil
    ) {
        self.migrations = migrations
        self.before = before
        self.context = context
        self.watchdog = watchdog
        self.earlierLineage = earlierLineage
        self.temporaries = temporaries
        self.touched = touched
        self.commandLimit = commandLimit
        self.rules = rules
        self.whole = whole
        self.work = work
    }

    private var settings: ConnectionSettings {
        var settings = context.settings(watchdog)
        if let work { settings.interrupt = { [watchdog] in watchdog.isTripped || work.isOver() } }
        return settings
    }

    package var inspector: StateInspector {
        var inspector = context.inspector(watchdog)
        inspector.interrupt(by: settings.interrupt)
        inspector.rules = rules
        return inspector
    }

    /// Opens the overlay of a state, has rows inserted there, and inspects the result.
    /// - Returns: nil where `insert` returns false.
    package func state(
        over start: DatabaseState,
        inserting insert: @escaping @Sendable (any Connection) throws -> Bool
    ) async throws -> DatabaseState? {
        let overlay = try Overlay(start.image)
        let isDone = try await context.engine.use(overlay, settings: settings) { database in
            try await database.withConnection { connection in
                guard try insert(connection) else { return false }
                try connection.checkpoint()
                return true
            }
        }
        guard isDone else { return nil }
        let (image, footprint) = overlay.freeze()
        return try await inspector.inspect(image, earlier: start, footprint: footprint)
    }

    /// Runs the step on a state.
    /// - Parameter prepare: what is done to the database before.
    package func outcome(
        from state: DatabaseState,
        after prepare: @escaping @Sendable (any Connection) throws -> Void = { _ in }
    ) async throws -> BatchRun.Outcome {
        let overlay = try Overlay(state.image)
        if let command = context.commandRun(watchdog) {
            return try await outcome(of: command, on: overlay, after: prepare)
        }
        return try await context.engine.use(overlay, settings: settings) {
            try await $0.withConnection(prepare)
            var run = BatchRun(set: context.set, database: $0, overlay: overlay)
            run.notesIdle = true
            return try await run.run(migrations)
        }
    }

    /// Runs the project's own command, on an overlay that no connection has open.
    /// - Throws: ``CommandFailure`` where it was ended since it took too long: that says nothing about the rows.
    private func outcome(
        of command: CommandRun, on overlay: Overlay,
        after prepare: @escaping @Sendable (any Connection) throws -> Void
    ) async throws -> BatchRun.Outcome {
        try await context.engine.useWhole(overlay, settings: settings) { database in
            try await database.withConnection {
                try prepare($0)
                try $0.checkpoint()
            }
        }
        var command = command
        command.limit = commandLimit
        let outcome = await command.run(migrations, of: context.set, on: overlay)
        if let failure = outcome.failure?.error as? CommandFailure, failure.kind == .stopped { throw failure }
        return outcome
    }

    /// Runs the step on a state and checks every rule of a step.
    /// - Parameter explains: whether the cause is searched for, and the rows that made it fail.
    package func findings(from state: DatabaseState, explains: Bool) async throws -> [Finding] {
        try await trial(from: state, explains: explains).findings
    }

    package struct Trial: Sendable {
        var findings: [Finding]
        /// The statements that chose rows and found none, by index; nil where the step did not come to its end, or that
        /// is not known.
        var idle: Set<Int>?
    }

    /// Runs the step on a state, checks every rule of a step, and notes which statements find rows.
    /// - Parameter explains: see ``findings(from:explains:)``.
    package func trial(from state: DatabaseState, explains: Bool) async throws -> Trial {
        if let whole { return Trial(findings: try await whole.findings(from: state.image, watchdog)) }
        let outcome = try await outcome(from: state)
        let findings = try await findings(of: outcome, from: state, explains)
        guard outcome.failure == nil else { return Trial(findings: findings) }
        var (idle, count): (Set<Int>, Int) = ([], 0)
        for reached in outcome.reached {
            guard let own = reached.idle else { return Trial(findings: findings) }
            idle.formUnion(own.map { $0 + count })
            count += reached.step.statements.count
        }
        return Trial(findings: findings, idle: idle)
    }

    private func findings(
        of outcome: BatchRun.Outcome, from state: DatabaseState, _ explains: Bool
    ) async throws -> [Finding] {
        var (findings, before): ([Finding], DatabaseState) = ([], state)
        for reached in outcome.reached {
            let (lineages, start) = (earlierLineage.lineages, before)
            let after = try await inspector.inspect(
                reached.image, earlier: before, footprint: reached.footprint
            ) { lineages.lineage(start, statements: reached.step.statements).currentName(of: $0) }
            if reached.owesForeignKeyCheck, after.faults.contains(where: ForeignKeyRule.isRefused) {
                return try await failure(EngineError.foreignKeyCheck, reached.step, before, explains)
            }
            var verification = StepVerification(
                migration: reached.step, declarations: reached.step.declarations, before: before,
                after: after, inspector: inspector, engine: context.engine, format: context.set.format,
                earlierLineage: earlierLineage, temporaries: temporaries)
            verification.explains = explains
            findings += try await verification.run().findings.map { found in
                var finding = found.finding
                finding.migration = reached.step.identifier
                finding.place = finding.place ?? .init(file: reached.step.path)
                return finding
            }
            before = after
        }
        guard let (migration, error) = outcome.failure else { return findings }
        return try await failure(error, migration, before, explains)
    }

    private func failure(
        _ error: any Error, _ migration: Migration, _ before: DatabaseState, _ explains: Bool
    ) async throws -> [Finding] {
        let failure = MigrationFailure(migration: migration, error: error)
        guard let finding = failure.finding else { throw error }
        guard explains else { return [finding] }
        if failure.isForeignKeyCheck, migration.isDeferred {
            return [
                try await ForeignKeyFailure(
                    migration: migration, before: before, engine: context.engine, inspector: inspector
                ).explaining(finding)
            ]
        }
        return [
            try await FailureInvestigation(
                migration: migration, before: before, engine: context.engine, inspector: inspector,
                format: context.set.format
            ).explaining(finding, error)
        ]
    }
}
