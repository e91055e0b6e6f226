import Drydock
import Testing

/// `rollback-failed` and `rollback-mismatch`: every step is undone and run again.
@Suite struct RollbackCheckTests {
    private func verify(up: String, down: String?) async throws -> Report {
        let scenario = Scenario(
            "CREATE TABLE n(a INTEGER PRIMARY KEY, b)", rows: "INSERT INTO n VALUES (1, 2)", steps: [up])
        let folder = try scenario.write()
        if let down { try folder.write("Migrations/v2.down.sql", down) }
        return try await folder.verify { $0.checksRollback = true }
    }

    @Test func stepsAreUndoneAndRunAgain() async throws {
        let report = try await verify(up: "ALTER TABLE n ADD COLUMN c", down: "ALTER TABLE n DROP COLUMN c")
        report.expectNothing()
    }

    @Test func rowsThatTheWayBackDeletesAreANote() async throws {
        let report = try await verify(
            up: "CREATE TABLE m(a); INSERT INTO m SELECT a FROM n", down: "DROP TABLE m")
        report.expectNothing()
        let note = try report.finding(.tableDropped)
        #expect(note.severity == .note)
        #expect(note.message == "undoing v2: table m is gone, with its 1 row")
    }

    @Test func aDifferentSchemaThanBefore() async throws {
        let report = try await verify(
            up: "ALTER TABLE n ADD COLUMN c; CREATE INDEX i ON n(b)", down: "DROP INDEX i")
        #expect(report.rules(.error) == [.rollbackFailed, .rollbackMismatch])
        #expect(try report.finding(.rollbackFailed).message.contains("cannot be done again"))
    }

    @Test func aWayBackThatDoesNotRun() async throws {
        let report = try await verify(up: "ALTER TABLE n ADD COLUMN c", down: "SELECT 1;\nDROP TABLE m")
        report.expect(errors: [.rollbackFailed])
        #expect(try report.finding(.rollbackFailed).place?.line == 2)
    }

    @Test func missingAndEmptyWaysBackAreListed() async throws {
        try await verify(up: "ALTER TABLE n ADD COLUMN c", down: nil).expect(notChecked: [.rollbackMismatch])
        try await verify(up: "ALTER TABLE n ADD COLUMN c", down: "-- no").expect(notChecked: [
            .rollbackMismatch
        ])
    }

    /// For `custom:`, where it is not known how the tool removes a migration's record: the record stays unchanged.
    @Test(
        arguments: [
            ("DROP TABLE toy;", []), ("SELECT 1;", [Rule.rollbackFailed, .rollbackMismatch]),
            ("ALTER TABLE toy ADD COLUMN b;", [.rollbackFailed, .rollbackMismatch]),
        ] as [(String, [Rule])])
    func theRecordStaysWhereItsRemovalIsUnknown(_ down: String, _ errors: [Rule]) async throws {
        var format = CustomFormat(
            files: #"(?<version>[0-9]+)_[a-z]*(?<down>\.down)?\.sql"#, query: "SELECT version FROM applied")
        format.historyTable = "applied"
        format.setup = ["CREATE TABLE IF NOT EXISTS applied(version TEXT PRIMARY KEY)"]
        format.record = ["INSERT INTO applied VALUES (:version)"]
        let project = ToolProject(
            files: [
                "1_people.sql": ToolProject.one, "2_toys.sql": "CREATE TABLE toy(a);",
                "2_toys.down.sql": down,
            ],
            history: "CREATE TABLE applied(version TEXT PRIMARY KEY); INSERT INTO applied VALUES ('1');")
        let report = try await project.verify { [format] in
            $0.format.custom = format
            $0.checksRollback = true
        }
        #expect(Set(report.rules(.error)) == Set(errors), "\(report.findings.map(\.line))")
        #expect(report.rules(.warning).isEmpty, "\(report.findings.map(\.line))")
    }
}
