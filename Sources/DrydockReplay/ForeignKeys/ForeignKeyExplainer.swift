import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// Explains "FOREIGN KEY constraint failed": which rows reference parents that do not exist, and why.
struct ForeignKeyExplainer: FailureExplainer {
    func explanation(of fixture: FailureFixture) throws -> FailureExplanation? {
        guard fixture.error.isForeignKeyViolation else { return nil }
        let connection = fixture.connection
        if let statement = fixture.statement {
            // Run without the check, to see the result; the pragma works only outside a transaction.
            if connection.isInTransaction { try connection.execute("COMMIT") }
            try connection.execute("PRAGMA foreign_keys = OFF")
            try Sandbox.run(statement, on: connection)
        }
        var unreadable: [Catalog.UnreadableTable] = []
        let catalog = try Catalog(reading: connection, historyTables: [], unreadable: &unreadable)
        let faults = try ForeignKeyRule().faults(
            in: StateView(connection: connection, catalog: catalog)
        ).filter(ForeignKeyRule.isRefused)
        let diagnosis = ForeignKeyDiagnosis(
            connection: connection, old: StepFork.beforeSchema, new: "main",
            before: fixture.before.catalog, after: catalog, migration: fixture.migration, upTo: fixture.index)
        guard let (fault, probe) = try diagnosis.newFaults(faults, than: fixture.before).first else {
            return nil
        }
        var explanation = FailureExplanation(
            detail: ": \(fault.sentence)", help: fault.help, table: fault.table, evidence: fault.evidence)
        explanation.probe = probe
        if case .dropTable(let name)? = fixture.statement?.action {
            let advice = ForeignKeysAdvice(fixture.migration, fixture.format).turningOff(at: fixture.index)
            explanation.detail +=
                ", since DROP TABLE deletes the rows of \(name.name) first while foreign keys are on"
            // With foreign keys off alone, the references would be left to a table that is gone.
            let rename = FollowedRename(to: name.name, in: fixture.migration, before: fixture.before.catalog)
            if let rename { explanation.detail += "; \(rename.cause)" }
            explanation.reason = "DROP TABLE deletes rows of \(name.name)"
            explanation.help =
                (rename.map { Help($0.help + "\n") } ?? "")
                + "Run the migration with foreign keys off where \(rename?.old ?? name.name) is recreated, and check them afterwards.\n\(advice)"
            return explanation
        }
        if let found = try diagnosis.finding(of: fault.id, culprit: fixture.culprit) {
            explanation.detail += ": \(found.cause)"
            explanation.help = found.help
            explanation.reason = found.cause
            explanation.reasonPlace = found.statement.map { .init(fixture.migration.statements[$0]) }
        }
        return explanation
    }
}
