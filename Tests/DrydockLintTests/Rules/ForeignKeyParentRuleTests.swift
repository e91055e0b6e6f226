import Drydock
import Testing

@testable import DrydockTestSupport

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
        LintCase(
            "an index of another collation",
            schema: "CREATE TABLE p(a TEXT); CREATE UNIQUE INDEX i ON p(a COLLATE NOCASE)",
            "CREATE TABLE c(p REFERENCES p(a))", says: [.error]),
        LintCase(
            "a column of another collation",
            schema: "CREATE TABLE p(a TEXT COLLATE NOCASE); CREATE UNIQUE INDEX i ON p(a COLLATE BINARY)",
            "CREATE TABLE c(p REFERENCES p(a))", says: [.error]),
        LintCase("a parent that is dropped", schema: pair, "DROP TABLE p", says: [.error]),
        LintCase(
            "a unique index that is dropped", schema: pair + "CREATE UNIQUE INDEX i ON p(a)",
            "DROP INDEX i", says: [.error]),
        LintCase(
            "a parent created again without its key",
            schema: "CREATE TABLE p(id INTEGER PRIMARY KEY, a UNIQUE); CREATE TABLE c(p REFERENCES p(a));",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, a); INSERT INTO n(id, a) SELECT id, a FROM p; DROP TABLE p; ALTER TABLE n RENAME TO p",
            says: [.error]),
    ]

    private static let pair = "CREATE TABLE p(id INTEGER PRIMARY KEY, a); CREATE TABLE c(p REFERENCES p(a));"

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
        LintCase(
            "the column's own collation",
            schema: "CREATE TABLE p(a TEXT COLLATE NOCASE); CREATE UNIQUE INDEX i ON p(a)",
            "CREATE TABLE c(p REFERENCES p(a))"),
        LintCase(
            "both dropped", schema: "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p);",
            "DROP TABLE p; DROP TABLE c"),
        LintCase(
            "another index is left",
            schema: pair + "CREATE UNIQUE INDEX i ON p(a); CREATE UNIQUE INDEX j ON p(a)",
            "DROP INDEX i"),
        LintCase(
            "a rebuild that keeps the key", schema: pair + "CREATE UNIQUE INDEX i ON p(a);",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, a); INSERT INTO n(id, a) SELECT id, a FROM p; DROP TABLE p; ALTER TABLE n RENAME TO p; CREATE UNIQUE INDEX i ON p(a)"
        ),
        LintCase("itself", schema: "SELECT 1", "CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES c)"),
    ]) func isSilent(_ it: LintCase) async throws { try await it.check(.foreignKeyParent) }

    @Test func aLaterMigrationFixesIt() async throws {
        let finding = try #require(
            try await LintCase(
                "", schema: Self.pair + "CREATE UNIQUE INDEX i ON p(a)", "DROP INDEX i",
                "CREATE UNIQUE INDEX j ON p(a)", says: [.warning]
            ).check(.foreignKeyParent).first)
        #expect(finding.migration == "v2")
    }

    @Test func theStatementThatRemovesTheParentIsReported() async throws {
        let it = LintCase(
            "", schema: Self.pair + "CREATE UNIQUE INDEX i ON p(a)", "SELECT 1; DROP TABLE p", says: [.error])
        for since in [nil, "v1"] {
            let finding = try #require(try await it.check(.foreignKeyParent) { $0.since = since }.first)
            #expect(finding.migration == "v2" && finding.place?.column == 11)
        }
    }

    @Test(arguments: [
        LintCase("by ALTER", "ALTER TABLE account ADD COLUMN p REFERENCES nope(id)", says: [.error]),
        LintCase(
            "by ALTER, foreign keys on", "ALTER TABLE account ADD COLUMN p REFERENCES nope(id)",
            says: [.error],
            tool: .d1),
        LintCase(
            "by ALTER, renamed",
            "ALTER TABLE account ADD COLUMN p REFERENCES nope(id); ALTER TABLE account RENAME TO a",
            says: [.error],
            tool: .d1),
        LintCase("by ALTER, there", "ALTER TABLE account ADD COLUMN p REFERENCES email(id)", tool: .d1),
    ]) func addedKeys(_ it: LintCase) async throws {
        let finding = try await it.check(.foreignKeyParent).first
        if let finding { #expect(finding.place?.file.hasSuffix("2_x.sql") == true || it.tool == .grdb) }
    }
}
