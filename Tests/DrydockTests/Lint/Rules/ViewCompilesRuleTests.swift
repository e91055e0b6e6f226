import Drydock
import Testing

@Suite struct ViewCompilesRuleTests {
    @Test(arguments: [
        LintCase("a view", "CREATE VIEW v AS SELECT subjct FROM email", says: [.error]),
        LintCase(
            "a trigger", "CREATE TRIGGER t AFTER INSERT ON email BEGIN INSERT INTO log VALUES (new.id); END",
            says: [.error]),
        LintCase("made before what it names", "CREATE VIEW v AS SELECT a FROM later; CREATE TABLE later(a)"),
        LintCase("all there", "CREATE VIEW v AS SELECT subject FROM email"),
        LintCase("its table is gone", "DROP TABLE email", says: [.error]),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.viewBroken) }

    @Test func whatALaterMigrationBreaksIsItsOwn() async throws {
        try await LintCase("", "DROP TABLE email", says: [.error]).check(.viewBroken) { $0.since = "v1" }
    }
}
