import Drydock
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// `not-idempotent`, `unknown-migration`, `migration-out-of-order`, `snapshot-version-unknown` and `nothing-verified`:
/// the rules that read a history table.
@Suite struct HistoryRulesTests {
    private static let three: [(name: String, sql: String)] = [
        ("v1", "CREATE TABLE n(a)"), ("v2", "ALTER TABLE n ADD COLUMN b"),
        ("v3", "ALTER TABLE n ADD COLUMN c"),
    ]

    @Test func aMigrationThatForgetsHistory() async throws {
        let report = try await Scenario(
            "CREATE TABLE IF NOT EXISTS n(a)", steps: "DELETE FROM grdb_migrations"
        ).verify()
        #expect(report.rules(.error).contains(.notIdempotent), "\(report.findings.map(\.line))")
        #expect(try report.finding(.notIdempotent).message.contains("v1 would run again"))
    }

    /// Losing the tool's own rows is an error just as losing the app's is.
    @Test func aMigrationThatDeletesRowsOfTheHistory() async throws {
        let lost = try await GooseProject.project.with(
            "003_index.sql", GooseProject.file("DELETE FROM goose_db_version WHERE version_id = 0;\n")
        ).verify()
        lost.expect(errors: [.rowsLost])
        #expect(try lost.finding(.rowsLost).table == "goose_db_version")
        #expect(try lost.finding(.rowsLost).place?.line == 2)
        let meant = try await GooseProject.project.with(
            "003_index.sql",
            GooseProject.file(
                "-- drydock: deletes from goose_db_version where version_id = 0\n"
                    + "DELETE FROM goose_db_version WHERE version_id = 0;\n")
        ).verify()
        meant.expectNothing()
        let dropped = try await GooseProject.project.with(
            "003_index.sql", GooseProject.file("UPDATE goose_db_version SET tstamp = 1;\n")
        ).verify()
        dropped.expect(errors: [.valuesChanged])
    }

    @Test func aGapIsReplayedWithAWarning() async throws {
        var scenario = Scenario(migrations: Self.three + [("v4", "ALTER TABLE n ADD COLUMN d")], at: 1)
        scenario.schemaEdit = "ALTER TABLE n ADD COLUMN c; INSERT INTO grdb_migrations VALUES ('v3')"
        let report = try await scenario.verify()
        // The order of columns differs from a fresh install.
        report.expect(warnings: [.migrationOutOfOrder, .schemaMismatch])
        #expect(report.replays[0].steps.map(\.migration) == ["v2", "v4"])
        #expect(report.replays[0].from == "v3")
        let finding = try report.finding(.migrationOutOfOrder)
        #expect(finding.migration == "v2")
        #expect(finding.message == "v2 is pending although v3 is applied")
    }

    @Test func anUnknownMigrationIsAnErrorAndTheRestIsReplayed() async throws {
        var scenario = Scenario(migrations: Self.three, at: 1)
        scenario.schemaEdit = "INSERT INTO grdb_migrations VALUES ('v1b')"
        let report = try await scenario.verify()
        report.expect(errors: [.unknownMigration], notChecked: [.schemaMismatch])
        #expect(try report.finding(.unknownMigration).message.contains("v1b"))
        #expect(report.replays[0].steps.map(\.migration) == ["v2", "v3"])
    }

    @Test func tablesWithoutAHistory() async throws {
        var scenario = Scenario(migrations: Self.three, at: 1)
        scenario.schemaEdit = "DROP TABLE grdb_migrations"
        let report = try await scenario.verify()
        report.expect(errors: [.snapshotVersionUnknown])
        #expect(report.replays[0].steps.isEmpty)
    }

    @Test func anEmptyHistoryIsTheVersionBeforeTheFirst() async throws {
        let report = try await Scenario(migrations: Self.three, at: 0).verify()
        report.expectNothing()
        #expect(report.replays[0].from == nil)
        #expect(report.replays[0].steps.map(\.migration) == ["v1", "v2", "v3"])
    }

    @Test func anEmptyDatabaseIsTheVersionBeforeTheFirst() async throws {
        var scenario = Scenario(migrations: Self.three, at: 0)
        scenario.schemaEdit = "DROP TABLE grdb_migrations"
        let report = try await scenario.verify()
        report.expectNothing()
        #expect(report.replays[0].to == "v3")
    }

    @Test func historyInAnotherCaseIsHistory() async throws {
        var scenario = Scenario(migrations: Self.three, at: 1)
        scenario.schemaEdit =
            "ALTER TABLE grdb_migrations RENAME TO h; ALTER TABLE h RENAME TO GRDB_Migrations"
        try await scenario.verify().expectNothing()
    }

    @Test func nothingPendingIsAWarning() async throws {
        let report = try await Scenario(migrations: Self.three, at: 3).verify()
        report.expect(warnings: [.nothingVerified])
        #expect(report.hasPassed)
    }

    @Test func oneSnapshotWithPendingStepsIsEnough() async throws {
        let scenario = Scenario(migrations: Self.three, at: 3)
        let folder = try scenario.write()
        var old = scenario
        old.at = 1
        try old.makeSnapshot(folder.file("Snapshots/old.sqlite"))
        try await folder.verify().expectNothing()
    }

    @Test func noSnapshotIsAnError() async throws {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", "CREATE TABLE n(a)")
        try folder.write("Snapshots/README.md", "None yet.")
        let report = try await folder.verify()
        report.expect(errors: [.nothingVerified])
        #expect(!report.hasPassed)
    }

    /// Snapshots elsewhere do not make up for it.
    @Test func aNamedFolderWithoutSnapshotsIsAnError() async throws {
        let folder = try Scenario(migrations: Self.three, at: 1).write()
        try folder.write("Empty/README.md", "None yet.")
        for others in [[], [folder.file("Snapshots")]] {
            var request = VerifyRequest()
            request.migrations.folder = folder.file("Migrations")
            request.snapshots.paths = [folder.file("Empty")] + others
            let report = try await Verifier(engine: GRDBDriver()).run(request)
            report.expect(errors: [.nothingVerified])
            #expect(report.findings.contains { $0.place?.file == folder.file("Empty") })
        }
    }

    @Test func noMigrationIsAnError() async throws {
        let folder = try Scenario(migrations: Self.three, at: 1).write()
        for name in ["v1", "v2", "v3"] { try folder.remove("Migrations/\(name).sql") }
        let report = try await folder.verify()
        report.expect(errors: [.nothingVerified])
    }
}
