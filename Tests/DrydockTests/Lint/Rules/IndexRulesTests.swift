import Drydock
import Testing

@Suite struct DuplicateIndexRuleTests {
    @Test(arguments: [
        LintCase(
            "twice", "CREATE INDEX a ON email(subject); CREATE INDEX b ON email(subject)", says: [.warning]),
        LintCase("a key", "CREATE INDEX a ON account(email)", says: [.warning]),
        LintCase(
            "a unique one stays", "CREATE UNIQUE INDEX a ON email(body); CREATE INDEX b ON email(body)",
            says: [.warning]),
        LintCase("another collation", "CREATE INDEX a ON account(email COLLATE NOCASE)"),
        LintCase("another direction", "CREATE INDEX a ON email(body); CREATE INDEX b ON email(body DESC)"),
        LintCase(
            "another condition", "CREATE INDEX a ON email(body); CREATE INDEX b ON email(body) WHERE is_spam"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.duplicateIndex) }
}

@Suite struct RedundantIndexRuleTests {
    @Test(arguments: [
        LintCase("the beginning", "CREATE INDEX a ON email(account_id)", says: [.note]),
        LintCase("a unique one", "CREATE UNIQUE INDEX a ON email(account_id)"),
        LintCase("the end", "CREATE INDEX a ON email(subject)"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.redundantIndex) }
}
