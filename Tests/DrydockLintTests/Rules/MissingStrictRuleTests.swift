import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct MissingStrictRuleTests {
    @Test(arguments: [
        LintCase(
            "missing", schema: "CREATE TABLE s(a INTEGER) STRICT", "CREATE TABLE a(x)", says: [.warning]),
        LintCase("there", schema: "CREATE TABLE s(a INTEGER) STRICT", "CREATE TABLE a(x INTEGER) STRICT"),
        LintCase("temporary", schema: "CREATE TABLE s(a INTEGER) STRICT", "CREATE TEMP TABLE a(x)"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.missingStrict) }
}
