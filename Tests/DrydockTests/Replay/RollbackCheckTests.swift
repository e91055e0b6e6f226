import Drydock
import Testing

/// `rollback-failed` and `rollback-mismatch`: every step down and up again.
@Suite struct RollbackCheckTests {
    private func verify(up: String, down: String?) async throws -> VerifyReport {
        let scenario = Scenario(
            "CREATE TABLE n(a INTEGER PRIMARY KEY, b)", rows: "INSERT INTO n VALUES (1, 2)", steps: [up])
        let folder = try scenario.write()
        if let down { try folder.write("Migrations/v2.down.sql", down) }
        return try await folder.verify { $0.checksRollback = true }
    }

    @Test func thereAndBack() async throws {
        let report = try await verify(up: "ALTER TABLE n ADD COLUMN c", down: "ALTER TABLE n DROP COLUMN c")
        report.expectNothing()
    }

    @Test func rowsThatTheWayBackTakesAreANote() async throws {
        let report = try await verify(
            up: "CREATE TABLE m(a); INSERT INTO m SELECT a FROM n", down: "DROP TABLE m")
        report.expectNothing()
        let note = try report.finding(.tableDropped)
        #expect(note.severity == .note)
        #expect(note.message == "undoing v2: table m is gone, with its 1 row")
    }

    @Test func anotherSchemaThanBefore() async throws {
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

    @Test func missingAndEmptyWaysAreListed() async throws {
        try await verify(up: "ALTER TABLE n ADD COLUMN c", down: nil).expect(notChecked: [.rollbackMismatch])
        try await verify(up: "ALTER TABLE n ADD COLUMN c", down: "-- no").expect(notChecked: [
            .rollbackMismatch
        ])
    }
}
