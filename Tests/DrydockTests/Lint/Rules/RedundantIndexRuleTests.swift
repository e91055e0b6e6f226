import Drydock
import Testing

@Suite struct RedundantIndexRuleTests {
    @Test(arguments: [
        LintCase("the beginning", "CREATE INDEX a ON email(account_id)", says: [.note]),
        LintCase("a unique one", "CREATE UNIQUE INDEX a ON email(account_id)"),
        LintCase("the end", "CREATE INDEX a ON email(subject)"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.redundantIndex) }
}
