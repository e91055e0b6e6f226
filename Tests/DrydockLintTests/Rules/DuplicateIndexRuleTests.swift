import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct DuplicateIndexRuleTests {
    @Test(arguments: [
        LintCase(
            "twice", "CREATE INDEX a ON email(subject); CREATE INDEX b ON email(subject)", says: [.warning]),
        LintCase("a key", "CREATE INDEX a ON account(email)", says: [.warning]),
        LintCase(
            "a unique one stays", "CREATE UNIQUE INDEX a ON email(body); CREATE INDEX b ON email(body)",
            says: [.warning]),
        LintCase("the rowid", "CREATE INDEX a ON account(id)", says: [.warning]),
        LintCase("a unique one of the rowid", "CREATE UNIQUE INDEX a ON account(id)", says: [.warning]),
        LintCase("the rowid and more", "CREATE INDEX a ON account(id, name)"),
        LintCase("another collation", "CREATE INDEX a ON account(email COLLATE NOCASE)"),
        LintCase("another direction", "CREATE INDEX a ON email(body); CREATE INDEX b ON email(body DESC)"),
        LintCase(
            "another condition", "CREATE INDEX a ON email(body); CREATE INDEX b ON email(body) WHERE is_spam"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.duplicateIndex) }

    @Test(arguments: [
        LintCase("the same", "CREATE INDEX a ON email(account_id, subject)", says: [.warning]),
        LintCase(
            "the same, of a later name", "CREATE INDEX z ON email(account_id, subject)", says: [.warning]),
        LintCase("a unique one", "CREATE UNIQUE INDEX z ON email(account_id, subject)", says: [.warning]),
        LintCase(
            "in the place of the old one",
            "CREATE INDEX z ON email(account_id, subject); DROP INDEX email_on_account"),
    ]) func acrossMigrations(_ it: LintCase) async throws {
        let finding = try await it.check(.duplicateIndex) { $0.since = "v1" }.first
        guard let finding else { return }
        // Of two equal indexes the newer one is dropped.
        let isUnique = it.name == "a unique one"
        #expect(
            finding.migration == "v2" && finding.help.contains("DROP INDEX email_on_account;") == isUnique)
    }
}
