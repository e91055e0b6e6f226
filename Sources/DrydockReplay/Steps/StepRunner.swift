import DrydockFindings
import DrydockMigrations

/// Runs pending migrations on an open snapshot, and freezes the states that they lead to. What is said of these is left to
/// others.
package struct StepRunner {
    private let context: ReplayContext
    private let snapshot: Snapshot
    private let batchRun: BatchRun

    /// - Parameter notesIdle: whether it is noted which statements find rows.
    package init(_ inputs: ReplayInputs, on opened: OpenedSnapshot, notesIdle: Bool = false) {
        (context, snapshot) = (inputs.context, inputs.snapshot)
        var run = BatchRun(set: context.set, database: opened.database, overlay: opened.overlay)
        run.command = context.commandRun(inputs.watchdog)
        run.notesIdle = notesIdle
        batchRun = run
    }

    /// Returns the migrations of a batch up to one that is not even tried, and whether there is one.
    package func runnable(
        _ batch: [Int], _ record: inout ReplayRecord
    ) -> (ready: [Migration], isCut: Bool) {
        var ready: [Migration] = []
        for migration in batch.map({ context.set.migrations[$0] }) {
            record.result.triedMigrations.insert(migration.identifier)
            if let fault = migration.fault {
                if migration.isFaultyWhenPending { record.result.migrationFindings.append(fault) }
                record.notChecked(
                    .migrationFailed, .stopped(snapshot: snapshot.path, before: migration.identifier))
                return (ready, true)
            }
            if migration.isCode {
                record.result.stoppedAtCode = migration.identifier
                return (ready, true)
            }
            if StaticChecks.refusedStatement(in: migration) != nil {
                // `transaction-ended` is reported of every migration that is tried.
                record.notChecked(
                    .migrationFailed, .stopped(snapshot: snapshot.path, before: migration.identifier))
                return (ready, true)
            }
            ready.append(migration)
        }
        return (ready, false)
    }

    /// - Parameter starting: called before each migration.
    package func run(
        _ batch: [Migration], starting: @escaping @Sendable (Migration) -> Void = { _ in }
    ) async throws -> BatchRun.Outcome {
        var run = batchRun
        run.starting = starting
        return try await run.run(batch)
    }
}
