import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct SqlxFormatTests {
    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await SqlxProject.project.verify()
        report.expectNothing()
        #expect(report.steps == ["2", "3"])
    }

    @Test func anEditedFileIsRefused() async throws {
        let report = try await SqlxProject.project.with("0001_people.sql", "-- why\n" + SqlxProject.first)
            .verify()
        report.expect(errors: [.migrationEdited])
        #expect(try report.finding(.migrationEdited).migration == "1")
    }

    /// The checksum of the file as Git checks it out on Windows: `printf '...;\r\n' | sha384sum`.
    static let windowsChecksum =
        "721fbd1294087b945d3fb014a83add165baaae19a0c3a6f1d9c849efdb6dafc8034ee57e280cb21e939c483c5326e091"

    @Test func lineEndingsAreReportedAsSuch() async throws {
        let windows = SqlxProject.project.with(
            "0001_people.sql", SqlxProject.first.replacing("\n", with: "\r\n"))
        let finding = try await windows.verify().finding(.migrationEdited)
        #expect(finding.severity == .error && finding.message.contains("only in its line endings"))
        #expect(finding.help.contains("sqlx refuses") && finding.help.contains(".gitattributes"))
        var unix = SqlxProject.project
        unix.history = SqlxProject.history(checksum: Self.windowsChecksum)
        #expect(
            try await unix.verify().finding(.migrationEdited).message.contains("only in its line endings"))
        let both = windows.with("0001_people.sql", "-- why\r\n" + SqlxProject.first)
        #expect(
            try await !both.verify().finding(.migrationEdited).message.contains("only in its line endings"))
    }

    @Test func reversibleFilesHaveAWayBack() async throws {
        let project = ToolProject(
            files: [
                "0001_people.up.sql": SqlxProject.first, "0001_people.down.sql": "DROP TABLE person",
                "0002_born.up.sql": "ALTER TABLE person ADD COLUMN born TEXT",
                "0002_born.down.sql": "ALTER TABLE person DROP COLUMN born",
            ], history: SqlxProject.project.history, schema: SqlxProject.first, rows: "")
        let report = try await project.verify { $0.checks.rollback = true }
        report.expectNothing()
        #expect(report.steps == ["2"])
    }

    @Test func aFileOptsOutOfItsTransaction() async throws {
        let project = ToolProject(
            files: [
                "1_people.sql": ToolProject.one, "2_born.sql": ToolProject.two,
                "3_rebuild.sql": "-- no-transaction\n" + ToolProject.rebuild,
            ], history: SqlxProject.history().replacing("x''", with: "x'00'"))
        let report = try await project.verify()
        report.expect(errors: [.migrationEdited])
        let wrapped = try await project.with("3_rebuild.sql", ToolProject.rebuild).verify()
        #expect(wrapped.rules(.error).contains(.rowsLost))
    }

    @Test func aFailedMigrationStopsEveryRun() async throws {
        var project = SqlxProject.project
        project.history += "UPDATE _sqlx_migrations SET success = 0"
        let report = try await project.verify()
        report.expect(errors: [.migrationFailed])
        #expect(report.steps.isEmpty)
    }
}
