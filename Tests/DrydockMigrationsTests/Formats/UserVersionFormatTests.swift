import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct UserVersionFormatTests {
    @Test func theVersionDecidesWhatIsPending() async throws {
        let report = try await UserVersionProject.project.verify()
        report.expectNothing()
        #expect(report.steps == ["2", "10"])
    }

    @Test func aMigrationThatSetsAnotherVersionRunsAgain() async throws {
        let report = try await UserVersionProject.project.with(
            "010_index.sql", ToolProject.three + "PRAGMA user_version = 3;"
        ).verify()
        report.expectNothing()
        #expect(report.steps == ["2", "10"], "the tool sets the version behind the file")
    }
}
