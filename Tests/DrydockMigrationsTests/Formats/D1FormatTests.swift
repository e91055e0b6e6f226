import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct D1FormatTests {
    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await D1Project.project.verify()
        report.expectNothing()
        #expect(report.steps == ["0002_born.sql", "0010_index.sql"])
    }

    /// Foreign keys are always on; what D1 offers instead is `defer_foreign_keys`.
    @Test func aRebuildCascades() async throws {
        let report = try await D1Project.project.with("0010_index.sql", ToolProject.rebuild).verify()
        report.expect(errors: [.pragmaIgnored, .rowsLost])
    }

    /// Wrangler runs what Drizzle generated: the history decides which tool the folder belongs to.
    @Test func theHistoryOutweighsAJournal() async throws {
        let project = D1Project.project.with("meta/_journal.json", "{}")
        try await project.verify().expectNothing()
    }

    private static let generated = ToolProject(
        files: [
            "meta/_journal.json": #"{"entries": [{"idx": 0, "when": 1, "tag": "0000_people"}]}"#,
            "0000_people.sql": ToolProject.one.replacing(";\n", with: ";--> statement-breakpoint\n"),
            // Two statements without a breakpoint, and a name that only a string in double quotes can be.
            "0001_born.sql": ToolProject.two + "UPDATE person SET born = \"unknown\";\n",
        ], history: "")

    private static let configurations = [
        "wrangler.toml":
            "name = \"app\"\n[[d1_databases]]\nbinding = \"DB\"\nmigrations_dir = \"Migrations\"\n\n[vars]\nA = 1\n",
        "wrangler.jsonc":
            "{\n  // \"migrations_dir\": \"elsewhere\"\n  \"d1_databases\": [{\"binding\": \"DB\", \"migrations_dir\": \"./Migrations\"}]\n}\n",
        "wrangler.example.json":
            "{\"env\": {\"live\": {\"d1_databases\": [{\"binding\": \"A\"}, {\"binding\": \"B\", \"migrations_dir\": \"Migrations\"}]}}}",
        "package.json": #"{"dependencies": {"drizzle-orm": "1"}, "devDependencies": {"wrangler": "4"}}"#,
    ]

    /// What wrangler is configured to run is D1's, even if Drizzle generated it.
    @Test(arguments: configurations.keys.sorted()) func theConfigurationOutweighsAJournal(_ file: String)
        throws
    {
        let set = try Self.generated.with("../" + file, Self.configurations[file]).load()
        #expect(set.format.name == "d1")
        #expect(set.migrations.map(\.identifier) == ["0000_people.sql", "0001_born.sql"])
        #expect(set.migrations.map(\.statements.count) == [2, 2])
        #expect(set.findings.isEmpty)
    }

    @Test(arguments: [
        ("wrangler.toml", "[[d1_databases]]\nbinding = \"DB\"\nmigrations_dir = \"other\"\n"),
        ("package.json", #"{"dependencies": {"drizzle-orm": "1", "wrangler": "4", "better-sqlite3": "12"}}"#),
    ]) func anotherFolderStaysDrizzles(_ file: String, _ text: String) throws {
        #expect(try Self.generated.with("../" + file, text).load().format.name == "drizzle")
    }

    @Test func theTableIsTheConfigurations() async throws {
        var project = D1Project.project.with(
            "../wrangler.toml",
            "[[d1_databases]]\nmigrations_dir = \"Migrations\"\nmigrations_table = \"steps\"\n")
        project.history = project.history.replacing("d1_migrations", with: "steps")
        let report = try await project.verify()
        report.expectNothing()
        #expect(report.steps == ["0002_born.sql", "0010_index.sql"])
    }
}
