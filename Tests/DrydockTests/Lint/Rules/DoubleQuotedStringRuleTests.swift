import Drydock
import Testing

@Suite struct DoubleQuotedStringRuleTests {
    @Test(arguments: [
        LintCase("UPDATE", "UPDATE email SET subject = \"draft\"", says: [.warning], tool: .d1),
        LintCase("VALUES", "INSERT INTO account(email) VALUES (\"a\"), (\"b\")", says: [.warning], tool: .d1),
        LintCase("WHERE", "DELETE FROM email WHERE \"subject\" = \"it's\"", says: [.warning], tool: .d1),
        LintCase(
            "columns", "INSERT INTO \"account\"(\"email\") SELECT \"subject\" FROM \"email\"", tool: .d1),
        LintCase(
            "an alias", "INSERT INTO account(email) SELECT \"s\".\"x\" FROM (SELECT 1 AS \"x\") AS \"s\"",
            tool: .d1),
        LintCase("single quotes", "UPDATE email SET subject = 'draft'", tool: .d1),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.doubleQuotedString) }

    @Test func theRewriteIsInSingleQuotes() async throws {
        let it = LintCase(
            "", "UPDATE email SET subject = \"it's\" WHERE \"subject\" = \"a\"\"b\";", tool: .d1)
        let rewrite = try #require(try await it.lint().rewrites.first)
        #expect(
            String(decoding: rewrite.result, as: UTF8.self)
                == "UPDATE email SET subject = 'it''s' WHERE \"subject\" = 'a\"b';")
    }

    @Test func whereTheToolRefusesThemTheMigrationFails() async throws {
        try await LintCase("", "UPDATE email SET subject = \"draft\"", says: [.error]).check(.migrationFailed)
    }
}
