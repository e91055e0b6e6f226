import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct RedundantIndexRuleTests {
    @Test(arguments: [
        LintCase("the beginning", "CREATE INDEX a ON email(account_id)", says: [.note]),
        LintCase("a unique one", "CREATE UNIQUE INDEX a ON email(account_id)"),
        LintCase("the end", "CREATE INDEX a ON email(subject)"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.redundantIndex) }

    @Test(arguments: [
        LintCase(
            "a longer one, made later", "CREATE INDEX z ON email(account_id, subject, body)", says: [.note]),
        LintCase("the shorter one, made later", "CREATE INDEX a ON email(account_id)", says: [.note]),
        LintCase("of other columns", "CREATE INDEX z ON email(subject, account_id)"),
        LintCase(
            "a partial one", "CREATE INDEX z ON email(account_id, subject, body) WHERE body IS NOT NULL"),
        LintCase("both are old", "CREATE TABLE x(y)"),
    ]) func acrossMigrations(_ it: LintCase) async throws {
        let findings = try await it.check(.redundantIndex) { $0.since = "v1" }
        #expect(findings.allSatisfy { $0.migration == "v2" })
    }

    @Test func aQueryUsesTheLongerIndex() throws {
        let database = try PlainDatabase()
        try database.execute("CREATE TABLE t(a, b); CREATE INDEX i ON t(a, b)")
        let plan = try database.rows("EXPLAIN QUERY PLAN SELECT b FROM t WHERE a = 1") { $0.string(3) }
        #expect(plan.contains { $0.contains("INDEX i") })
    }
}
