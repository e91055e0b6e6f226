import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct DoubleQuotedStringRuleTests {
    @Test(arguments: [
        LintCase("UPDATE", "UPDATE email SET subject = \"draft\"", says: [.warning], tool: .d1),
        LintCase("VALUES", "INSERT INTO account(email) VALUES (\"a\"), (\"b\")", says: [.warning], tool: .d1),
        LintCase("WHERE", "DELETE FROM email WHERE \"subject\" = \"it's\"", says: [.warning], tool: .d1),
        LintCase(
            "columns", "INSERT INTO \"account\"(\"email\") SELECT \"subject\" FROM \"email\"", tool: .d1),
        LintCase(
            "an alias", "INSERT INTO account(email) SELECT \"s\".\"x\" FROM (SELECT 1 AS \"x\") AS \"s\"",
            tool: .d1),
        LintCase(
            "an index's condition", "CREATE INDEX i ON email(body) WHERE subject = \"a\"", says: [.warning],
            tool: .d1),
        LintCase(
            "an index's expression", "CREATE UNIQUE INDEX i ON email(coalesce(body, \"a\"), id)",
            says: [.warning], tool: .d1),
        LintCase(
            "CHECK", "CREATE TABLE a(\"x\" TEXT CHECK (\"x\" IN (\"y\", 'z')))", says: [.warning], tool: .d1),
        LintCase(
            "a generated column", "CREATE TABLE a(\"x\", y AS (\"x\" || \"z\"))", says: [.warning], tool: .d1),
        LintCase("DEFAULT", "CREATE TABLE \"a\"(\"x\" TEXT DEFAULT \"y\")", says: [.warning], tool: .d1),
        LintCase(
            "DEFAULT where strings are refused", "CREATE TABLE a(x TEXT DEFAULT \"y\")", says: [.warning]),
        LintCase(
            "a new column's DEFAULT", "ALTER TABLE \"email\" ADD COLUMN \"x\" TEXT DEFAULT \"y\"",
            says: [.warning], tool: .d1),
        LintCase(
            "a new column's CHECK",
            "ALTER TABLE email ADD COLUMN \"x\" TEXT CHECK (\"x\" <> \"y\" AND \"body\" <> 'z')",
            says: [.warning], tool: .d1),
        LintCase(
            "CREATE TABLE AS", "CREATE TABLE a AS SELECT \"id\", \"a\" AS \"b c\" FROM email",
            says: [.warning], tool: .d1),
        LintCase(
            "a view", "CREATE VIEW v(\"x y\") AS SELECT \"a\" FROM email WHERE \"body\" = 'x'",
            says: [.warning], tool: .d1),
        LintCase(
            "a trigger",
            "CREATE TRIGGER t AFTER INSERT ON email WHEN new.\"body\" = \"a\" BEGIN UPDATE email SET body = \"b\" WHERE \"id\" = \"new\".\"id\"; END",
            says: [.warning], tool: .d1),
        LintCase(
            "a view's trigger",
            "CREATE TRIGGER t INSTEAD OF DELETE ON inbox BEGIN UPDATE email SET body = \"b\" WHERE \"id\" = old.id; END",
            says: [.warning], tool: .d1),
        LintCase(
            "columns in all of them",
            """
            CREATE TABLE "a"("x" TEXT NOT NULL DEFAULT 'x' CHECK ("a"."x" <> ''), "y" AS ("x" || 'z'),
              CONSTRAINT "c" FOREIGN KEY ("x") REFERENCES "account"("id") ON DELETE SET DEFAULT);
            CREATE INDEX "i" ON "a"("x" COLLATE "NOCASE") WHERE "y" = 'q';
            CREATE VIEW "v" AS SELECT "x" AS "My Col" FROM "a" ORDER BY "My Col";
            CREATE TRIGGER "t" AFTER UPDATE OF "x" ON "a" BEGIN UPDATE "a" SET "x" = "new"."x" WHERE "rowid" = 1; END;
            ALTER TABLE "a" ADD COLUMN "z" TEXT CHECK ("z" <> "x");
            """, tool: .d1),
        LintCase("single quotes", "UPDATE email SET subject = 'draft'", tool: .d1),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.doubleQuotedString) }

    /// Other quotes would only make it clear that the index is useless.
    @Test(arguments: [
        ("CREATE INDEX i ON email(\"subjekt\")", "; did you mean 'subject'?"),
        (
            "CREATE UNIQUE INDEX IF NOT EXISTS main.\"I\" ON \"email\"(id, \"nope\" DESC)",
            "has no column nope"
        ),
        ("CREATE INDEX i ON email(\"subjekt\" COLLATE nocase) WHERE body = \"a\"", "did you mean 'subject'?"),
    ]) func anIndexOnAStringIsNotRequoted(_ sql: String, _ said: String) async throws {
        let finding = try #require(
            try await LintCase("", sql, says: [.warning], tool: .d1).check(.doubleQuotedString).first)
        #expect(finding.message.hasSuffix(said), "\(finding.message)")
        #expect(!finding.help.contains("quotes") && finding.help.contains("subject"), "\(finding.help)")
    }

    @Test func theRewriteIsInSingleQuotes() async throws {
        let it = LintCase(
            "", "UPDATE email SET subject = \"it's\" WHERE \"subject\" = \"a\"\"b\";", tool: .d1)
        let rewrite = try #require(try await it.lint().rewrites.first)
        #expect(
            String(decoding: rewrite.result, as: UTF8.self)
                == "UPDATE email SET subject = 'it''s' WHERE \"subject\" = 'a\"b';")
    }

    @Test(arguments: [
        (
            "CREATE INDEX i ON email(body) WHERE subject = \"a\";",
            "CREATE INDEX i ON email(body) WHERE subject = 'a';"
        ),
        (
            "CREATE TABLE a(x DEFAULT \"y\", z DEFAULT \"it's\");",
            "CREATE TABLE a(x DEFAULT 'y', z DEFAULT 'it''s');"
        ),
        // The view's column gets its name from the text as written.
        ("CREATE VIEW v AS SELECT \"a\" FROM email;", nil),
    ]) func theRewriteOfADefinition(_ sql: String, _ expected: String?) async throws {
        let rewrite = try await LintCase("", sql, tool: .d1).lint().rewrites.first
        #expect(rewrite.map { String(decoding: $0.result, as: UTF8.self) } == expected)
    }

    @Test func aColumnTakesTheString() throws {
        let database = try PlainDatabase()
        try database.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        try database.execute("CREATE VIEW v AS SELECT \"draft\" AS state FROM t")
        #expect(try database.rows("SELECT state FROM v") { $0.string(0) } == ["draft"])
        try database.execute("ALTER TABLE t ADD COLUMN draft DEFAULT 'no'")
        #expect(try database.rows("SELECT state FROM v") { $0.string(0) } == ["no"])
    }

    @Test func theMigrationFailsWhereTheToolRefusesThem() async throws {
        try await LintCase("", "UPDATE email SET subject = \"draft\"", says: [.error]).check(.migrationFailed)
    }
}
