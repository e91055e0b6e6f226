import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct MissingDownRuleTests {
    @Test func says() async throws {
        let it = LintCase("", schema: "CREATE TABLE a(x)", "CREATE TABLE b(x)", says: [.warning])
        try await it.check(.missingDown) { $0.since = "v1" }
    }

    @Test func isOffByDefault() async throws {
        let report = try await LintCase("", "CREATE TABLE b(x)").lint().report
        #expect(!report.findings.contains { $0.rule == .missingDown || $0.rule == .missingStrict })
    }
}
