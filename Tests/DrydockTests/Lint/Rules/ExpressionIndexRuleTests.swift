import Drydock
import Testing

@Suite struct ExpressionIndexRuleTests {
    @Test(arguments: [
        LintCase("json_extract", "CREATE INDEX i ON email(json_extract(body, '$.a'))", says: [.warning]),
        LintCase("the arrow", "CREATE INDEX i ON email(body ->> '$.a')", says: [.warning]),
        LintCase(
            "in the condition", "CREATE INDEX i ON email(id) WHERE json_type(body) = 'array'",
            says: [.warning]),
        LintCase(
            "of a generated column",
            "ALTER TABLE email ADD COLUMN a AS (json_extract(body, '$.a')); CREATE INDEX i ON email(a)",
            says: [.warning]),
        LintCase("the clock", "CREATE INDEX i ON email(date('now'))", says: [.error]),
        LintCase("the clock without a word", "CREATE INDEX i ON email(datetime())", says: [.error]),
    ]) func says(_ it: LintCase) async throws {
        try await it.check(.expressionIndexFails)
        #expect(try it.failure() != nil)
        #expect(try it.failure(rows: "") == nil)
    }

    @Test(arguments: [
        LintCase("lower", "CREATE INDEX i ON email(lower(subject))"),
        LintCase("CAST", "CREATE INDEX i ON email(CAST(body AS INTEGER))"),
        LintCase("a date of a column", "CREATE INDEX i ON email(date(body))"),
        LintCase(
            "with json_valid", "CREATE INDEX i ON email(json_extract(body, '$.a')) WHERE json_valid(body)"),
        LintCase("a new table", "CREATE TABLE a(x); CREATE INDEX i ON a(json_extract(x, '$.a'))"),
    ]) func isSilent(_ it: LintCase) async throws {
        try await it.check(.expressionIndexFails)
        #expect(try it.failure() == nil)
    }
}
