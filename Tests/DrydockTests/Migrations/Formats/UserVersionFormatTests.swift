import Drydock
import Testing

@Suite struct UserVersionFormatTests {
    static let project = ToolProject(
        files: [
            "001.sql": ToolProject.one, "002_born.sql": ToolProject.two, "010_index.sql": ToolProject.three,
        ],
        history: "PRAGMA user_version = 1;")

    @Test func theVersionDecidesWhatIsPending() async throws {
        let report = try await Self.project.verify()
        report.expectNothing()
        #expect(report.steps == ["2", "10"])
    }

    @Test func aMigrationThatSetsAnotherVersionRunsAgain() async throws {
        let report = try await Self.project.with(
            "010_index.sql", ToolProject.three + "PRAGMA user_version = 3;"
        ).verify()
        report.expectNothing()
        #expect(report.steps == ["2", "10"], "the tool sets the version behind the file")
    }
}
