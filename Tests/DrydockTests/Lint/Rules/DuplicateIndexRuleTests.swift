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
