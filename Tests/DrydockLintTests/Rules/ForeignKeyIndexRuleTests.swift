import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct ForeignKeyIndexRuleTests {
    @Test(arguments: [
        LintCase(
            "none", schema: "CREATE TABLE p(id INTEGER PRIMARY KEY)",
            "CREATE TABLE c(p INTEGER REFERENCES p)",
            says: [.note]),
        LintCase(
            "a partial one", schema: "CREATE TABLE p(id INTEGER PRIMARY KEY)",
            "CREATE TABLE c(p INTEGER REFERENCES p, x); CREATE INDEX i ON c(p) WHERE x", says: [.note]),
        LintCase(
            "of another collation than the parent's", schema: "CREATE TABLE p(a TEXT PRIMARY KEY)",
            "CREATE TABLE c(p TEXT REFERENCES p); CREATE INDEX i ON c(p COLLATE NOCASE)", says: [.note]),
        LintCase(
            "of the parent's collation", schema: "CREATE TABLE p(a TEXT COLLATE NOCASE PRIMARY KEY)",
            "CREATE TABLE c(p TEXT REFERENCES p); CREATE INDEX i ON c(p COLLATE NOCASE)"),
        LintCase(
            "a partial one of all that references",
            schema: "CREATE TABLE p(id INTEGER PRIMARY KEY)",
            "CREATE TABLE c(p INTEGER REFERENCES p, x); CREATE INDEX i ON c(p) WHERE p IS NOT NULL"),
        LintCase(
            "made later",
            schema: "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p INTEGER REFERENCES p)",
            "CREATE INDEX i ON c(p)"),
        LintCase(
            "the key", schema: "CREATE TABLE p(id INTEGER PRIMARY KEY)",
            "CREATE TABLE c(p INTEGER PRIMARY KEY REFERENCES p)"),
        LintCase(
            "two columns in the other order", schema: "CREATE TABLE p(a, b, PRIMARY KEY(a, b))",
            "CREATE TABLE c(a, b, UNIQUE(b, a), FOREIGN KEY(a, b) REFERENCES p)"),
    ]) func cases(_ it: LintCase) async throws {
        try await it.check(.foreignKeyWithoutIndex)
        // SQLite scans the child exactly where the rule reports it.
        let database = try PlainDatabase()
        try database.execute("PRAGMA foreign_keys = ON;" + it.steps.joined(separator: ";"))
        let plan = try database.rows("EXPLAIN QUERY PLAN DELETE FROM p WHERE rowid = 1") { $0.string(3) }
        #expect(plan.contains { $0.hasPrefix("SCAN c") } == !it.says.isEmpty, "\(plan)")
    }

    @Test func theFindingPointsAtTheStatementThatAddedTheColumn() async throws {
        let add = "ALTER TABLE account ADD COLUMN friend REFERENCES email(id);"
        let added = try await LintCase("", add, says: [.note]).check(.foreignKeyWithoutIndex)
            .first { $0.table == "account" }
        #expect(added?.place?.lineText?.contains("ADD COLUMN friend") == true)
        let rebuild =
            "CREATE TABLE n(id INTEGER PRIMARY KEY, friend REFERENCES email(id)); DROP TABLE account; ALTER TABLE n RENAME TO account;"
        let made = try await LintCase("", add, rebuild, says: [.note]).check(.foreignKeyWithoutIndex)
            .first { $0.table == "account" }
        #expect(made?.place?.lineText?.contains("CREATE TABLE n") == true)
    }
}
