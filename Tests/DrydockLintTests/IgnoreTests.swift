import Drydock
import Testing

@testable import DrydockTestSupport

/// `-- drydock: ignore RULE because REASON`.
@Suite struct IgnoreTests {
    @Test(arguments: [
        LintCase(
            "before",
            "-- drydock: ignore unique-over-existing because it is\nCREATE UNIQUE INDEX i ON email(subject)"),
        LintCase(
            "within",
            "CREATE UNIQUE INDEX i -- drydock: ignore unique-over-existing because it is\n ON email(subject)"),
        LintCase(
            "of another statement",
            "-- drydock: ignore unique-over-existing because it is\nSELECT 1;\nCREATE UNIQUE INDEX i ON email(subject)",
            says: [.warning]),
        LintCase(
            "of one of two",
            "-- drydock: ignore unique-over-existing because it is\nCREATE UNIQUE INDEX i ON email(subject);\nCREATE UNIQUE INDEX j ON email(body)",
            says: [.warning]),
        LintCase(
            "another rule",
            "-- drydock: ignore positional-copy because it is\nCREATE UNIQUE INDEX i ON email(subject)",
            says: [.warning]),
    ]) func anIgnoreAppliesToTheNextStatement(_ it: LintCase) async throws {
        try await it.check(.uniqueOverExisting)
    }

    @Test func anUnusedIgnoreIsAWarning() async throws {
        let it = LintCase(
            "", "-- drydock: ignore positional-copy because it is\nCREATE TABLE a(x)", says: [.warning])
        let finding = try #require(try await it.check(.unusedDeclaration).first)
        #expect(finding.place?.line == 1 && finding.message == "nothing here breaks positional-copy")
    }

    /// Only a replay shows whether an index is stale for other reasons.
    @Test func anIgnoreThatOnlyAReplayNeedsIsNotUnused() async throws {
        try await LintCase("", "-- drydock: ignore search-index-stale because it is\nCREATE TABLE a(x)")
            .check(.unusedDeclaration)
    }

    @Test(arguments: [
        (
            "ignore uniqe-over-existing because it is",
            "'uniqe-over-existing' is not a rule of drydock lint; did you mean 'unique-over-existing'?"
        ),
        (
            "ignore everything because it is",
            "'everything' is not a rule of drydock lint, which --list-rules shows"
        ),
        ("ignore positional-copy", "no reason follows 'ignore positional-copy'"),
        ("ignore positional-copy because", "no reason follows 'ignore positional-copy'"),
        ("ignore", "no rule follows 'ignore'"),
    ]) func misspeltRules(_ text: String, _ message: String) async throws {
        let it = LintCase("", "CREATE TABLE a(x);\n-- drydock: \(text)\nCREATE TABLE b(x)", says: [.error])
        let finding = try #require(try await it.check(.invalidDeclaration).first)
        #expect(finding.message == message && finding.place?.line == 2)
    }

    @Test func verifyAcceptsAnIgnore() async throws {
        try await Scenario(
            "CREATE TABLE a(x)", steps: "-- drydock: ignore positional-copy because it is\nCREATE TABLE b(x)"
        ).verify().expectNothing()
    }

    @Test func anIgnoreInTheConfigurationAppliesToTheWholeMigration() async throws {
        let text = "ignore unique-over-existing because it is"
        let declarations = try Declaration.parse(text, place: .init(file: "drydock.yml"), migration: "v2")
            .get()
        try await LintCase("", "SELECT 1; CREATE UNIQUE INDEX i ON email(subject)").check(.uniqueOverExisting)
        {
            $0.migrations.declarations["v2"] = declarations
        }
    }
}
