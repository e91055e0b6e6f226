import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct MaragudkMigrateFormatTests {
    static let history = """
        CREATE TABLE migrations (version text not null);
        INSERT INTO migrations VALUES ('0001_people');
        """
    static let files = [
        "0001_people.up.sql": ToolProject.one, "0001_people.down.sql": "DROP TABLE pet; DROP TABLE person;",
        "0002_born.up.sql": ToolProject.two, "0002_index.up.sql": ToolProject.three,
        "0002_index.down.sql": "DROP INDEX pet_on_person;",
    ]
    static let project = ToolProject(files: files, history: history)

    /// Several files may begin with one number: all of the name is the version.
    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await Self.project.verify()
        report.expectNothing()
        #expect(report.steps == ["0002_born", "0002_index"])
        #expect(report.replays[0].from == "0001_people")
        #expect(report.migrationFormat == "maragudk-migrate")
    }

    @Test func versionsBelowTheNewestNeverRun() async throws {
        var project = Self.project
        project.history = project.history.replacing("0001_people", with: "0002_a")
        let report = try await project.verify()
        #expect(report.rules(.error) == [.unknownMigration])
        #expect(report.steps == ["0002_born", "0002_index"])
    }

    @Test func lossIsFound() async throws {
        try await Self.project.with("0003_loss.up.sql", ToolProject.loss).verify().expect(errors: [.rowsLost])
    }

    @Test func foreignKeysAreAsTheAppSaysIt() async throws {
        let project = Self.project.with("0002_index.up.sql", ToolProject.rebuild)
        try await project.verify().expectNothing()
        let report = try await project.verify { $0.migrations.options.foreignKeys = true }
        #expect(report.rules(.error).contains(.rowsLost))
    }

    /// golang-migrate names its files in the same way, and a module may use both: the file that embeds the folder decides.
    @Test func theImportBesideTheFolderDecides() throws {
        let modules = """
            module example.com/app

            require (
                github.com/golang-migrate/migrate/v4 v4.17.1
                github.com/maragudk/migrate v0.4.3
            )
            """
        let source = "package store\n\nimport (\n\t\"embed\"\n\n\t\"github.com/maragudk/migrate\"\n)\n"
        let project = ToolProject(
            files: Self.files.merging(["../go.mod": modules, "../store.go": source]) { first, _ in first },
            history: "")
        let set = try project.load()
        #expect(set.format.name == "maragudk-migrate")
        #expect(set.findings.isEmpty)
        let other = try project.with(
            "../store.go", source.replacing("maragudk/migrate", with: "golang-migrate/migrate/v4")
        ).load()
        #expect(other.format.name == "golang-migrate")
        #expect(other.findings.contains { $0.message.contains("two migrations are called '2'") })
    }
}
