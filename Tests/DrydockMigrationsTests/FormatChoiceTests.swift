import Drydock
import Testing

@testable import DrydockTestSupport

/// The choice of a folder's format: the history decides, then what a tool leaves in the folder, then names.
@Suite struct FormatChoiceTests {
    @Test func twoToolsWithTheSameHistoryTableName() async throws {
        let files = GooseProject.project.files.merging(DbmateProject.project.files) { first, _ in
            first
        }
        var project = DbmateProject.project
        project.files = files
        // golang-migrate's table with that name would have the column dirty.
        #expect(Set(try await project.verify().rules(.error)) == [.migrationFailed])
    }

    @Test func mixedFoldersAreAmbiguous() async throws {
        let files = GooseProject.project.files.merging(DbmateProject.project.files) { first, _ in
            first
        }
        let project = ToolProject(files: files, history: "")
        let refusal = try await project.refusal()
        #expect(refusal.contains("goose (-- +goose in "))
        #expect(refusal.contains("001_people.sql:1"))
        #expect(refusal.contains("dbmate (-- migrate:up in "))
        #expect(refusal.contains("20240101_people.sql:1"))
        #expect(refusal.contains("--migration-format"))
        #expect(
            try await project.refusal { $0.migrations.format = "gose" }.contains(
                "there is no migration format")
        )
    }

    @Test func theCommandLineDecides() async throws {
        let report = try await D1Project.project.verify { $0.migrations.format = "drydock" }
        report.expect(errors: [.snapshotVersionUnknown])
    }

    /// Numbered files of several tools run alike, so that no setting is needed.
    @Test func numberedFilesWithDrydocksHistoryNeedNoSetting() async throws {
        var project = D1Project.project
        project.history =
            "CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('0001_people');"
        let report = try await project.verify()
        report.expectNothing()
        #expect(report.steps == ["0002_born", "0010_index"])
    }

    /// Ways back and folders of other files do not make it another tool's folder.
    @Test func otherFilesDoNotChangeDrydocksFormat() async throws {
        var scenario = Scenario(
            migrations: [("1_a", "CREATE TABLE n(a)"), ("2_b", "ALTER TABLE n ADD COLUMN b")], at: 1)
        scenario.schemaEdit = "PRAGMA user_version = 9"
        let folder = try scenario.write()
        try folder.write("Migrations/2_b.down.sql", "ALTER TABLE n DROP COLUMN b")
        for name in ["old/V1__a.sql", "old/up.sql", "old/migration.sql"] {
            try folder.write("Migrations/\(name)", "SELECT 1;")
        }
        let report = try await folder.verify { $0.checks.rollback = true }
        report.expect(warnings: [.nothingVerified])
        #expect(report.steps == ["2_b"])
    }

    @Test func placeholdersDoNotCountInChecksums() async throws {
        let text = "CREATE TABLE ${name}(id INTEGER PRIMARY KEY);\n"
        let project = ToolProject(
            files: ["1_people.sql": text, "2_born.sql": "ALTER TABLE ${name} ADD COLUMN born;"],
            history: SqlxProject.history(
                checksum:
                    "c01c00fcc4bc358607bf69037475896c1551144a9d42fcee006eada9958f51335c7ef1dea9e45eb0fa5beccddb80b1d0"
            ), schema: text.replacing("${name}", with: "person"), rows: "")
        try await project.verify { $0.migrations.options.placeholders = ["name": "person"] }.expectNothing()
    }

    @Test func aBaseExistsBeforeTheFirstMigration() async throws {
        let project = ToolProject(
            files: ["../base.sql": ToolProject.one, "1.sql": ToolProject.two, "2.sql": ToolProject.three],
            history: "PRAGMA user_version = 1;", schema: ToolProject.one + ToolProject.two)
        try await project.verify().expect(notChecked: [.schemaMismatch])
        let folder = try project.write()
        try await folder.verify { $0.migrations.options.base = SchemaBase(path: folder.file("base.sql")) }
            .expectNothing()
    }

    @Test func placeholdersWithoutAValueAreReported() async throws {
        let project = D1Project.project.with("0010_index.sql", "CREATE INDEX i ON %TABLE%(${column});\n")
        let report = try await project.verify { $0.migrations.options.placeholders = ["%TABLE%": "pet"] }
        #expect(report.faults == ["0010_index.sql:1: no value is given for the placeholder ${column}"])
        try await project.verify {
            $0.migrations.options.placeholders = ["%TABLE%": "pet", "column": "person_id"]
        }.expectNothing()
    }
}
