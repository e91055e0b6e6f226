import DatabaseEngine
import DrydockMigrations
import DrydockState
import OverlayVFS

/// Runs a batch of migrations on an overlay, by GRDB's migrator or as another tool would, and freezes each state that
/// can be observed.
package struct BatchRun: Sendable {
    package let set: MigrationSet
    package let database: any OpenDatabase
    package let overlay: Overlay

    package init(set: MigrationSet, database: any OpenDatabase, overlay: Overlay) {
        self.set = set
        self.database = database
        self.overlay = overlay
    }
    var starting: @Sendable (Migration) -> Void = { _ in }
    /// The project's own command, where it runs the migrations; the database must be closed then.
    package var command: CommandRun?
    /// Whether it is noted which statements find rows.
    package var notesIdle = false

    /// A state, and the migrations that led to it from the previous one.
    package struct Reached: Sendable {
        /// One migration; several where the states between them cannot be observed.
        package var migrations: [Migration]
        package var image: Image
        package var footprint: Footprint
        package var seconds: Double
        var statementSeconds: [Double]
        /// The statements of ``step`` that chose rows and found none, by index; nil where that is not known.
        package var idle: Set<Int>?
        /// Whether GRDB would have checked every foreign key before the commit; the changes are then checked
        /// afterwards.
        package var owesForeignKeyCheck = false

        /// The migrations combined into one.
        package var step: Migration {
            var step = migrations[migrations.count - 1]
            step.statements = migrations.flatMap(\.statements)
            step.declarations = migrations.flatMap(\.declarations)
            step.record = migrations.flatMap(\.record)
            return step
        }
    }

    package struct Outcome: Sendable {
        package var reached: [Reached] = []
        package var failure: (migration: Migration, error: any Error)?
        /// Why the overlay took no more pages, if that made it fail: another run may come further.
        package var obstacle: String?

        /// Returns the outcome with one of the states refused by the check of foreign keys before its commit.
        package func refused(at index: Int) -> Outcome {
            Outcome(
                reached: Array(reached.prefix(index)),
                failure: (reached[index].step, EngineError.foreignKeyCheck))
        }
    }

    package func run(_ batch: [Migration]) async throws -> Outcome {
        if let command { return await command.run(batch, of: set, on: overlay, starting: starting) }
        return set.policy.isRunByEngine ? try await migrate(batch) : try await runAsTool(batch)
    }

    private func migrate(_ batch: [Migration]) async throws -> Outcome {
        var outcome = Outcome()
        for migration in batch {
            starting(migration)
            do {
                let start = ContinuousClock.now
                let owesCheck = migration.foreignKeyChecks == .deferred
                let run = MigrationRun(
                    migration, foreignKeyChecks: owesCheck ? .disabled : nil, notesIdle: notesIdle)
                let applied = try await run.apply(to: database)
                let whole = (ContinuousClock.now - start).inSeconds
                try await database.withConnection { try $0.checkpoint() }
                let (image, footprint) = overlay.freeze()
                outcome.reached.append(
                    .init(
                        migrations: [applied.migration], image: image, footprint: footprint, seconds: whole,
                        statementSeconds: applied.seconds, idle: applied.idle, owesForeignKeyCheck: owesCheck)
                )
            } catch {
                outcome.failure = (migration, error)
                break
            }
        }
        return outcome
    }

    private func runAsTool(_ batch: [Migration]) async throws -> Outcome {
        let (set, overlay, starting, notesIdle) = (set, overlay, starting, notesIdle)
        return try await database.withConnection { connection in
            var outcome = Outcome()
            let run = ToolRun(connection: connection, set: set, starting: starting, notesIdle: notesIdle)
            do {
                try run.prepare()
                try run.run(batch) { span in
                    try connection.checkpoint()
                    let (image, footprint) = overlay.freeze()
                    var migrations = Array(batch[span.range])
                    for index in migrations.indices { migrations[index].foreignKeys = span.foreignKeys }
                    outcome.reached.append(
                        .init(
                            migrations: migrations, image: image, footprint: footprint,
                            seconds: span.seconds, statementSeconds: span.statementSeconds,
                            idle: notesIdle ? span.idle : nil))
                }
            } catch let failure as BatchFailure {
                outcome.failure = (batch[failure.index], failure.cause)
            }
            return outcome
        }
    }
}

extension CommandRun {
    /// Applies migrations one after the other, up to one that fails.
    package func run(
        _ batch: [Migration], of set: MigrationSet, on overlay: Overlay,
        starting: @Sendable (Migration) -> Void = { _ in }
    ) async -> BatchRun.Outcome {
        var outcome = BatchRun.Outcome()
        for migration in batch {
            starting(migration)
            do {
                let index = set.index(of: migration.identifier) ?? 0
                let made = try await apply(migration, at: index, of: set, on: overlay)
                outcome.reached.append(
                    .init(
                        migrations: [migration], image: made.image, footprint: made.footprint,
                        seconds: made.seconds, statementSeconds: []))
            } catch {
                outcome.failure = (migration, error)
                break
            }
        }
        return outcome
    }
}

extension BatchFailure {
    /// The error to report: a statement's failure unchanged, a failure of the tool with its place.
    package var cause: any Error {
        switch phase {
        case .statement: error
        case .commit, .record: RunnerFailure(phase: phase, error: error)
        }
    }
}

/// A failure of the tool's own work around a migration: the commit, or writing its history.
package struct RunnerFailure: Error {
    package var phase: BatchFailure.Phase
    package var error: any Error

    package init(phase: BatchFailure.Phase, error: any Error) {
        (self.phase, self.error) = (phase, error)
    }
}
