import Drydock
import Testing

@Suite struct PrismaFormatTests {
    static func history(_ rest: String = "") -> String {
        """
        CREATE TABLE _prisma_migrations(id TEXT PRIMARY KEY NOT NULL, checksum TEXT NOT NULL, finished_at DATETIME,
          migration_name TEXT NOT NULL, logs TEXT, rolled_back_at DATETIME,
          started_at DATETIME NOT NULL DEFAULT current_timestamp, applied_steps_count INTEGER UNSIGNED NOT NULL DEFAULT 0);
        INSERT INTO _prisma_migrations(id, checksum, finished_at, migration_name) VALUES ('a', '\(checksum)', 1, '1_people');
        \(rest)
        """
    }

    static let checksum = "3ab4d8a6"

    static let project = ToolProject(
        files: [
            "migration_lock.toml": "provider = \"sqlite\"\n", "1_people/migration.sql": ToolProject.one,
            "2_born/migration.sql": ToolProject.two, "3_rebuild/migration.sql": ToolProject.rebuild,
        ], history: history())

    /// No transaction is opened around a file, so that its PRAGMA takes effect; an edited file is a warning.
    @Test func aRebuildKeepsRows() async throws {
        let report = try await Self.project.verify()
        report.expect(warnings: [.migrationEdited])
        #expect(report.steps == ["2_born", "3_rebuild"])
    }

    /// Of ``ToolProject/one``, by sha256sum.
    static let whole = "8946ba7a852db869149590c2e1f99a4d0ad0a114c937e9166703a58fbbcca47d"

    /// Git checks the file out with the line endings of another system.
    @Test func lineEndingsAreReportedAsSuch() async throws {
        var project = Self.project
        project.history = Self.history().replacing(Self.checksum, with: Self.whole)
        let windows = project.with(
            "1_people/migration.sql", ToolProject.one.replacing("\n", with: "\r\n"))
        let finding = try await windows.verify().finding(.migrationEdited)
        #expect(finding.message.contains("only in its line endings"), "\(finding.message)")
        #expect(try await project.verify().findings.allSatisfy { $0.rule != .migrationEdited })
    }

    @Test func withoutThePragmaTheRebuildCascades() async throws {
        let text = ToolProject.rebuild.replacing("PRAGMA foreign_keys = OFF;", with: "")
        let report = try await Self.project.with("3_rebuild/migration.sql", text).verify()
        report.expect(errors: [.rowsLost], warnings: [.migrationEdited])
    }

    @Test func aFailedMigrationStopsEveryRun() async throws {
        var project = Self.project
        project.history = Self.history(
            "INSERT INTO _prisma_migrations(id, checksum, migration_name) VALUES ('b', '', '2_born');")
        let report = try await project.verify()
        #expect(report.rules(.error) == [.migrationFailed])
        #expect(report.steps.isEmpty)
    }

    @Test func aRolledBackMigrationIsPending() async throws {
        var project = Self.project
        project.history = Self.history(
            "INSERT INTO _prisma_migrations(id, checksum, migration_name, rolled_back_at) VALUES ('b', '', '2_born', 1);"
        )
        #expect(try await project.verify().steps == ["2_born", "3_rebuild"])
    }

    @Test func aFolderWithoutItsFileIsReported() async throws {
        let report = try await Self.project.with("3_rebuild/migration.sql", nil).with(
            "3_rebuild/README.md", ""
        )
        .verify()
        #expect(report.rules(.error) == [.migrationFailed])
        #expect(report.steps == ["2_born"])
    }
}
