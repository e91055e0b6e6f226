import DatabaseEngine
import DrydockFindings
import DrydockState

/// Says why a migration failed on a database: what SQLite said, and the rows or names that caused it.
struct FailureReport {
    let context: ReplayContext
    let watchdog: Watchdog

    /// Returns the finding for a failed migration; nil where the run was stopped instead.
    package func finding(_ failure: MigrationFailure, _ before: DatabaseState) async throws -> Finding? {
        guard !watchdog.isTripped, let finding = failure.finding else { return nil }
        if MemoryStop(failure.error) != nil { return finding }
        return failure.mentioningCode(try await explained(finding, failure, before))
    }

    private func explained(
        _ finding: Finding, _ failure: MigrationFailure, _ before: DatabaseState
    ) async throws -> Finding {
        let (migration, inspector) = (failure.migration, context.inspector(watchdog))
        if failure.isForeignKeyCheck, migration.isDeferred {
            return try await ForeignKeyFailure(
                migration: migration, before: before, engine: context.engine, inspector: inspector
            ).explaining(finding)
        }
        do {
            return try await FailureInvestigation(
                migration: migration, before: before, engine: context.engine, inspector: inspector,
                format: context.set.format
            ).explaining(finding, failure.error)
        } catch let error as EngineError where error.isInterrupt && watchdog.isTimeUp {
            // The failure is known; there is no time left to explain it.
            return finding
        }
    }
}
