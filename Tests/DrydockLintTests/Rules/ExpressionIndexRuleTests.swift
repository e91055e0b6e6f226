import Drydock
import Testing

@testable import DrydockTestSupport

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

    private static let two = "CREATE TABLE e(id INTEGER PRIMARY KEY, body TEXT, x TEXT);"

    @Test(arguments: [
        ("json_valid(body)", []), ("x > 1 AND json_valid(body) = 1", []),
        ("body IS NULL OR json_valid(body)", []), ("(json_valid(body))", []),
        ("json_valid(x)", [Finding.Severity.warning]), ("x OR json_valid(body)", [.warning]),
        ("NOT json_valid(body)", [.warning]), ("json_valid(body) = 0", [.warning]),
        ("x > 1 AND x < 3 OR json_valid(body)", [.warning]),
    ]) func aGuardMustTestTheSameColumn(_ condition: String, _ says: [Finding.Severity]) async throws {
        let it = LintCase(
            "", schema: Self.two, "CREATE INDEX i ON e(json_extract(body, '$.a')) WHERE \(condition)",
            says: says)
        try await it.check(.expressionIndexFails)
        let rows = "INSERT INTO e(body, x) VALUES ('{', '1'), ('no json', 2), (NULL, 2), ('{}', 2)"
        #expect(try (it.failure(rows: rows) == nil) == says.isEmpty)
    }

    @Test(arguments: [
        LintCase(
            "the clock", schema: "CREATE TABLE e(n, s);", "CREATE INDEX i ON e(n) WHERE n < strftime('%s')",
            says: [.error]),
        LintCase(
            "the time zone", schema: "CREATE TABLE e(n, s);", "CREATE INDEX i ON e(date(s, 'localtime'))",
            says: [.error]),
        LintCase(
            "a path", schema: "CREATE TABLE e(n, s);",
            "CREATE INDEX i ON e(json_extract(s, 'k')) WHERE json_valid(s)", says: [.error]),
        LintCase("a row's time", schema: "CREATE TABLE e(n, s);", "CREATE INDEX i ON e(strftime('%s', s))"),
    ]) func expressionsThatFailOnAnyRow(_ it: LintCase) async throws {
        try await it.check(.expressionIndexFails)
        let failure = try it.failure(rows: "INSERT INTO e VALUES (1, '{}'), (1, '2020-01-01')")
        #expect((failure == nil) == it.says.isEmpty)
    }
}
