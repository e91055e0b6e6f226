import Drydock
import Testing

@Suite struct DefaultIdentifierRuleTests {
    @Test(arguments: [
        LintCase("a word", "CREATE TABLE a(at TEXT DEFAULT now)", says: [.warning]),
        LintCase("of a new column", "ALTER TABLE email ADD COLUMN at TEXT DEFAULT now", says: [.warning]),
        LintCase(
            "a value", "CREATE TABLE a(x DEFAULT true, y DEFAULT NULL, z DEFAULT CURRENT_DATE, w DEFAULT -1)"),
        LintCase("a string", "CREATE TABLE a(x DEFAULT 'now')"),
        LintCase(
            "an action",
            "CREATE TABLE a(x DEFAULT 1 REFERENCES account ON DELETE SET DEFAULT ON UPDATE CASCADE)"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.defaultIsIdentifier) }

    @Test func itIsAText() throws {
        let database = try PlainDatabase()
        try database.execute("CREATE TABLE a(id, at TEXT DEFAULT now); INSERT INTO a(id) VALUES (1)")
        #expect(try database.rows("SELECT at FROM a") { $0.string(0) } == ["now"])
    }
}

@Suite struct MissingStrictRuleTests {
    @Test(arguments: [
        LintCase(
            "missing", schema: "CREATE TABLE s(a INTEGER) STRICT", "CREATE TABLE a(x)", says: [.warning]),
        LintCase("there", schema: "CREATE TABLE s(a INTEGER) STRICT", "CREATE TABLE a(x INTEGER) STRICT"),
        LintCase("temporary", schema: "CREATE TABLE s(a INTEGER) STRICT", "CREATE TEMP TABLE a(x)"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.missingStrict) }
}

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
