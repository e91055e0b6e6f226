import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct HeaderMarkRuleTests {
    private static let schema = "CREATE TABLE t(a); PRAGMA user_version = 7; PRAGMA application_id = 99;"

    @Test(arguments: [
        RuleCase(
            "a lower version", "PRAGMA user_version = 3", schema: schema, warnings: [.headerMarkChanged]),
        RuleCase("none", "PRAGMA main.\"USER_VERSION\"(0)", schema: schema, warnings: [.headerMarkChanged]),
        RuleCase(
            "a higher version", "PRAGMA user_version = 8", schema: schema, warnings: [.headerMarkChanged]),
        RuleCase(
            "where there was none", "PRAGMA user_version = 8", schema: "CREATE TABLE t(a);",
            warnings: [.headerMarkChanged]),
        RuleCase(
            "another application", "PRAGMA application_id = 1", schema: schema, warnings: [.headerMarkChanged]
        ),
        RuleCase(
            "the first application", "PRAGMA application_id = 1", schema: "CREATE TABLE t(a);",
            notes: [.headerMarkChanged]),
        RuleCase(
            "both", "PRAGMA application_id = 0; PRAGMA user_version = 0", schema: schema,
            warnings: [.headerMarkChanged, .headerMarkChanged]),
        RuleCase("the same", "PRAGMA user_version = 7", schema: schema),
        RuleCase("queried", "PRAGMA user_version", schema: schema),
        RuleCase("put back", "PRAGMA user_version = 1; PRAGMA user_version = 7", schema: schema),
        RuleCase("a temporary one", "PRAGMA temp.user_version = 1", schema: schema),
        RuleCase(
            "meant",
            "-- drydock: ignore header-mark-changed because the app reads it no more\nPRAGMA user_version = 0",
            schema: schema),
    ])
    func marks(_ it: RuleCase) async throws { try await it.check() }

    @Test func `the statement and its effect are named`() async throws {
        let finding = try await Scenario(Self.schema, steps: "SELECT 1;\nPRAGMA user_version = 3")
            .verify().finding(.headerMarkChanged)
        #expect(finding.message == "PRAGMA user_version was 7 and is 3" && finding.place?.line == 2)
        #expect(finding.help.contains("migrates it again"))
    }

    @Test(arguments: ["", "PRAGMA user_version = 0;"])
    func `nothing is reported where the tool keeps its version there`(_ sql: String) async throws {
        let project = ToolProject(
            files: ["001.sql": ToolProject.one, "002.sql": ToolProject.two + sql],
            history: "PRAGMA user_version = 1")
        let report = try await project.verify { $0.migrations.format = "user-version" }
        #expect(report.steps == ["2"])
        #expect(!report.findings.contains { $0.rule == .headerMarkChanged })
    }
}
