import Drydock
import Testing

@Suite struct ForeignKeyIndexRuleTests {
    @Test(arguments: [
        LintCase(
            "none", schema: "CREATE TABLE p(id INTEGER PRIMARY KEY)", "CREATE TABLE c(p REFERENCES p)",
            says: [.note]),
        LintCase(
            "a partial one", schema: "CREATE TABLE p(id INTEGER PRIMARY KEY)",
            "CREATE TABLE c(p REFERENCES p, x); CREATE INDEX i ON c(p) WHERE x", says: [.note]),
        LintCase(
            "made later", schema: "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p)",
            "CREATE INDEX i ON c(p)"),
        LintCase(
            "the key", schema: "CREATE TABLE p(id INTEGER PRIMARY KEY)",
            "CREATE TABLE c(p INTEGER PRIMARY KEY REFERENCES p)"),
        LintCase(
            "two columns in the other order", schema: "CREATE TABLE p(a, b, PRIMARY KEY(a, b))",
            "CREATE TABLE c(a, b, UNIQUE(b, a), FOREIGN KEY(a, b) REFERENCES p)"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.foreignKeyWithoutIndex) }
}
