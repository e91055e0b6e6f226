import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct PrismaFormatTests {
    /// No transaction is opened around a file, so that its PRAGMA takes effect; an edited file is a warning.
    @Test func aRebuildKeepsRows() async throws {
        let report = try await PrismaProject.project.verify()
        report.expect(warnings: [.migrationEdited])
        #expect(report.steps == ["2_born", "3_rebuild"])
    }

    /// Git checks the file out with the line endings of another system.
    @Test func lineEndingsAreReportedAsSuch() async throws {
        var project = PrismaProject.project
        project.history = PrismaProject.history().replacing(PrismaProject.checksum, with: PrismaProject.whole)
        let windows = project.with(
            "1_people/migration.sql", ToolProject.one.replacing("\n", with: "\r\n"))
        let finding = try await windows.verify().finding(.migrationEdited)
        #expect(finding.message.contains("only in its line endings"), "\(finding.message)")
        #expect(try await project.verify().findings.allSatisfy { $0.rule != .migrationEdited })
    }

    @Test func withoutThePragmaTheRebuildCascades() async throws {
        let text = ToolProject.rebuild.replacing("PRAGMA foreign_keys = OFF;", with: "")
        let report = try await PrismaProject.project.with("3_rebuild/migration.sql", text).verify()
        report.expect(errors: [.rowsLost], warnings: [.migrationEdited])
    }

    @Test func aFailedMigrationStopsEveryRun() async throws {
        var project = PrismaProject.project
        project.history = PrismaProject.history(
            "INSERT INTO _prisma_migrations(id, checksum, migration_name) VALUES ('b', '', '2_born');")
        let report = try await project.verify()
        #expect(report.rules(.error) == [.migrationFailed])
        #expect(report.steps.isEmpty)
    }

    @Test func aRolledBackMigrationIsPending() async throws {
        var project = PrismaProject.project
        project.history = PrismaProject.history(
            "INSERT INTO _prisma_migrations(id, checksum, migration_name, rolled_back_at) VALUES ('b', '', '2_born', 1);"
        )
        #expect(try await project.verify().steps == ["2_born", "3_rebuild"])
    }

    @Test func aFolderWithoutItsFileIsReported() async throws {
        let report = try await PrismaProject.project.with("3_rebuild/migration.sql", nil).with(
            "3_rebuild/README.md", ""
        )
        .verify()
        #expect(report.rules(.error) == [.migrationFailed])
        #expect(report.steps == ["2_born"])
    }
}
