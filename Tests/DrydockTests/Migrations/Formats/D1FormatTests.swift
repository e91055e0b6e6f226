import Drydock
import Testing

@Suite struct D1FormatTests {
    static let history = """
        CREATE TABLE d1_migrations(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
          applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);
        INSERT INTO d1_migrations(name) VALUES ('0001_people.sql');
        """
    static let project = ToolProject(
        files: [
            "0001_people.sql": ToolProject.one, "0002_born.sql": ToolProject.two,
            "0010_index.sql": ToolProject.three,
        ], history: history)

    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await Self.project.verify()
        report.expectNothing()
        #expect(report.steps == ["0002_born.sql", "0010_index.sql"])
    }

    /// Foreign keys are always on; what D1 offers instead is `defer_foreign_keys`.
    @Test func aRebuildCascades() async throws {
        let report = try await Self.project.with("0010_index.sql", ToolProject.rebuild).verify()
        report.expect(errors: [.pragmaIgnored, .rowsLost])
    }

    /// Wrangler runs what Drizzle generated: the history decides which tool the folder belongs to.
    @Test func theHistoryOutweighsAJournal() async throws {
        let project = Self.project.with("meta/_journal.json", "{}")
        try await project.verify().expectNothing()
    }
}
