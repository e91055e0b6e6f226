import Drydock
import Testing

@Suite struct ForeignKeyParentRuleTests {
    static let failing = [
        LintCase(
            "no table", schema: "CREATE TABLE p(id INTEGER PRIMARY KEY)", "CREATE TABLE c(p REFERENCES q)",
            says: [.error]),
        LintCase(
            "no key", schema: "CREATE TABLE p(id, a)", "CREATE TABLE c(p REFERENCES p(a))", says: [.error]),
        LintCase(
            "no primary key", schema: "CREATE TABLE p(id, a)", "CREATE TABLE c(p REFERENCES p)",
            says: [.error]),
        LintCase(
            "a partial index", schema: "CREATE TABLE p(a); CREATE UNIQUE INDEX i ON p(a) WHERE a > 1",
            "CREATE TABLE c(p REFERENCES p(a))", says: [.error]),
        LintCase(
            "more columns", schema: "CREATE TABLE p(a, b, PRIMARY KEY(a, b))",
            "CREATE TABLE c(p REFERENCES p)",
            says: [.error]),
    ]

    @Test(arguments: failing) func says(_ it: LintCase) async throws {
        try await it.check(.foreignKeyParent)
        let database = try PlainDatabase()
        try database.execute(it.steps.joined(separator: ";") + ";PRAGMA foreign_keys = ON")
        #expect(throws: PlainDatabase.Failure.self) { try database.execute("INSERT INTO c(p) VALUES (1)") }
    }

    @Test(arguments: [
        LintCase(
            "the key", schema: "CREATE TABLE p(id INTEGER PRIMARY KEY)", "CREATE TABLE c(p REFERENCES p)"),
        LintCase("UNIQUE", schema: "CREATE TABLE p(a UNIQUE)", "CREATE TABLE c(p REFERENCES p(a))"),
        LintCase(
            "made later", schema: "CREATE TABLE c(p REFERENCES p)", "CREATE TABLE p(id INTEGER PRIMARY KEY)"),
        LintCase("itself", schema: "SELECT 1", "CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES c)"),
    ]) func isSilent(_ it: LintCase) async throws { try await it.check(.foreignKeyParent) }
}
