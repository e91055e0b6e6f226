import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS
import SQLiteSchema

/// Explains why the check of all foreign keys before a commit refused a migration.
///
/// The step is replayed once more on a fork, unchecked, and the violations that it adds are separated from those of the
/// snapshot. The engine's own message would show a whole row.
package struct ForeignKeyFailure {
    package let migration: Migration
    package let before: DatabaseState
    package let engine: any Engine
    package let inspector: StateInspector

    package init(migration: Migration, before: DatabaseState, engine: any Engine, inspector: StateInspector) {
        self.migration = migration
        self.before = before
        self.engine = engine
        self.inspector = inspector
    }

    /// Returns the finding with the violations, their rows and the statement that caused them.
    package func explaining(_ finding: Finding) async throws -> Finding {
        let state = before
        let old = before.faults.filter(ForeignKeyRule.isRefused)
        let after: DatabaseState
        let ran: Migration
        do {
            (after, ran) = try await stateWithoutCheck()
        } catch let error as EngineError where migration.closureChecks != nil && !error.isInterrupt {
            // The migration checks its foreign keys itself.
            return finding
        }
        let now = after.faults.filter(ForeignKeyRule.isRefused)
        let new = try await diagnosing(from: after, ran) { diagnosis in
            try diagnosis.newFaults(now, than: state)
        }
        var finding = finding
        guard let fault = new.first?.fault ?? now.first ?? old.first else { return finding }
        finding.sentence += ": \(fault.sentence)"
        finding.table = fault.table
        finding.evidence = fault.evidence
        guard let probe = new.first?.probe else {
            finding.tags.append(.preExisting)
            finding.sentence += ", as in the snapshot"
            finding.advice =
                "The snapshot broke this key before the migration ran, and GRDB's check covers the whole database: "
                + "users with such a database cannot upgrade. "
            let advice = try await diagnosing(from: after) { $0.orphanAdvice(fault.id) }
            finding.advice += advice ?? "Give the rows a parent that exists, or NULL, in the migration."
            return finding
        }
        let placed = try await CulpritSearch(
            migration: ran, before: before, engine: engine, inspector: inspector
        ).placing([StepFinding(finding, probe: probe)])[0]
        return try await diagnosing(from: after, ran) { try $0.explaining(placed) }.finding
    }

    private func diagnosing<Result: Sendable>(
        from after: DatabaseState, _ ran: Migration? = nil,
        _ body: @escaping @Sendable (ForeignKeyDiagnosis) throws -> Result
    ) async throws -> Result {
        let (old, new, migration) = (before.catalog, after.catalog, ran ?? migration)
        return try await inspector.withConnection(to: before.image, attaching: after.image) { connection in
            try body(
                ForeignKeyDiagnosis(
                    connection: connection, old: "main", new: StateInspector.laterSchema, before: old,
                    after: new, migration: migration))
        }
    }

    private func stateWithoutCheck() async throws -> (DatabaseState, Migration) {
        let overlay = try Overlay(before.image)
        let database = try await engine.open(overlay, settings: inspector.settings)
        let ran: Migration
        do {
            ran = try await MigrationRun(migration, foreignKeyChecks: .disabled).apply(to: database).migration
            try await database.withConnection { try $0.checkpoint() }
            try await database.close()
        } catch {
            try? await database.close()
            throw error
        }
        let after = try await inspector.inspect(overlay.freeze().image, earlier: before)
        return (after, ran)
    }
}
