import Drydock
import Testing

@Suite struct CustomFormatTests {
    /// As memos has it: a folder a release, a number in it, the newest version in a setting.
    static let project = ToolProject(
        files: [
            "0.9/00__people.sql": ToolProject.one, "0.9/01__born.sql": ToolProject.two,
            "0.10/00__index.sql": ToolProject.three,
            "LATEST.sql": ToolProject.one.replacing(
                "name TEXT NOT NULL)", with: "name TEXT NOT NULL, born TEXT)")
                + ToolProject.three,
        ],
        history:
            "CREATE TABLE setting(name TEXT PRIMARY KEY, value); INSERT INTO setting VALUES ('version', '0.9.1');"
    )

    static var format: CustomFormat {
        var format = CustomFormat(
            files: #"(?<release>[0-9]+\.[0-9]+)/(?<patch>[0-9]+)__.*\.sql"#,
            query: "SELECT value FROM setting WHERE name = 'version'")
        format.identifier = "${release}.${patch+1}"
        format.isNewestOnly = true
        format.historyTable = "setting"
        format.schema = "LATEST.sql"
        format.record = ["UPDATE setting SET value = :version WHERE name = 'version'"]
        format.policy.transaction = .all
        return format
    }

    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await Self.project.verify { $0.format.custom = Self.format }
        report.expectNothing()
        #expect(report.steps == ["0.9.2", "0.10.1"])
    }

    @Test func textOrder() async throws {
        let report = try await Self.project.verify {
            $0.format.custom = Self.format
            $0.format.custom?.order = .text
        }
        // 0.10 sorts before 0.9 as text, so that it is late.
        #expect(report.replays[0].steps.map(\.migration) == ["0.9.2"])
    }

    @Test func aBrokenPattern() async throws {
        let refusal = try await Self.project.refusal {
            $0.format.custom = Self.format
            $0.format.custom?.files = "(?<version>"
        }
        #expect(refusal.contains("custom.files"))
    }
}
