import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState

/// Looks at the states that steps lead to, and has every rule judge them.
package struct StepInspection {
    package let inputs: ReplayInputs

    package init(inputs: ReplayInputs) {
        self.inputs = inputs
    }

    private var context: ReplayContext { inputs.context }

    /// Returns the state that a step led to, with its faults.
    package func inspect(
        _ reached: BatchRun.Reached, from before: DatabaseState, _ record: inout ReplayRecord
    ) async throws -> DatabaseState {
        let lineages = inputs.earlierLineage.lineages
        let after = try await inputs.inspector.inspect(
            reached.image, earlier: before, footprint: reached.footprint
        ) { lineages.lineage(before, statements: reached.step.statements).currentName(of: $0) }
        record.noteChanges(reached, to: after)
        return after
    }

    /// Returns what GRDB's own check before the commit would have reported for a migration that ran without it.
    package func refusal(
        _ reached: BatchRun.Reached, _ after: DatabaseState, from before: DatabaseState
    ) async throws -> Finding? {
        guard reached.owesForeignKeyCheck, let migration = reached.migrations.last,
            after.faults.contains(where: ForeignKeyRule.isRefused),
            let index = context.set.index(of: migration.identifier)
        else { return nil }
        return try await failure(EngineError.foreignKeyCheck, migration, index, before)
    }

    /// Checks the rules for one step, and returns the state after it.
    package func judge(
        _ migration: Migration, from before: DatabaseState, to after: DatabaseState,
        _ record: inout ReplayRecord
    ) async throws -> DatabaseState {
        for reason in after.notChecked { record.notChecked(reason.rule, reason.cause) }
        var verification = StepVerification(
            migration: migration, declarations: migration.declarations,
            before: before,
            after: after, inspector: inputs.inspector, engine: context.engine, format: context.set.format,
            earlierLineage: inputs.earlierLineage,
            temporaries: record.steps.temporaries, searched: record.steps.searched)
        verification.former = record.steps.former
        record.take(try await verification.run(), of: migration, at: after)
        var after = after
        after.searchEntries = record.steps.searched.compactMapValues(\.count)
        return after
    }

    /// Returns the finding for a failed migration; nil when the run was stopped instead.
    /// - Parameter state: the one that the migration met.
    package func failure(
        _ error: any Error, _ migration: Migration, _ index: Int, _ state: DatabaseState
    ) async throws -> Finding? {
        let explained = try await FailureReport(context: context, watchdog: inputs.watchdog)
            .finding(MigrationFailure(migration: migration, error: error), state)
        guard var finding = explained else { return nil }
        if inputs.fresh.passes(index) { finding.tags.append(.dataDependent) }
        return finding
    }
}
