import Drydock
import Testing

@testable import DrydockTestSupport

/// A full-text index of another table's text that is dropped: no row is lost, and searches fail.
@Suite struct SearchIndexDroppedRuleTests {
    private static let schema = """
        CREATE TABLE post(id INTEGER PRIMARY KEY, title TEXT, body TEXT);
        CREATE VIEW shown AS SELECT id, title FROM post;
        CREATE VIRTUAL TABLE post_fts USING fts5(title, content='post', content_rowid='id');
        CREATE VIRTUAL TABLE "old ""fts" USING fts4(content="post", title);
        CREATE VIRTUAL TABLE shown_fts USING fts5(title, content=shown, content_rowid=id);
        """
    private static let rows = """
        INSERT INTO post VALUES (1, 'a word', 'b');
        INSERT INTO post_fts(post_fts) VALUES ('rebuild');
        INSERT INTO "old ""fts"("old ""fts") VALUES ('rebuild');
        INSERT INTO shown_fts(shown_fts) VALUES ('rebuild');
        """
    private static let replacement =
        "CREATE VIRTUAL TABLE other USING fts5(title, body, content=post, content_rowid=id);"

    private func verify(_ steps: String...) async throws -> Report {
        try await Scenario(Self.schema, rows: Self.rows, steps: steps).verify()
    }

    @Test(arguments: [
        ("DROP TABLE post_fts;", "post_fts"), (#"DROP TABLE "old ""fts";"#, #"old "fts"#),
        ("DROP TABLE main.Shown_FTS;", "shown_fts"),
    ]) func aDroppedIndexIsReported(_ drop: String, _ name: String) async throws {
        let report = try await verify(drop)
        report.expect(warnings: [.tableDropped])
        let finding = try report.finding(.tableDropped)
        #expect(finding.table == name && finding.message.contains("searches over it fail"))
        #expect(finding.place?.line == 1)
        #expect(finding.why == "No row is lost; a query that names the table fails.")
        // What the help says: make it again, or declare it.
        let help = finding.help.split(separator: "\n").map(String.init)
        let sql = help.filter { $0.hasPrefix("  ") && !$0.contains("--") }.joined(separator: "\n")
        try await verify(drop + "\n" + sql).expectNothing()
        let declaration = try #require(help.first { $0.contains("-- drydock: drops table") })
        try await verify(declaration + "\n" + drop).expectNothing()
    }

    @Test(arguments: [
        "CREATE TABLE post_fts(title);", "CREATE VIEW post_fts AS SELECT title FROM post;",
        "CREATE VIRTUAL TABLE post_fts USING rtree(id, a, b);",
    ]) func anotherTableOfItsNameIsReported(_ sql: String) async throws {
        let report = try await verify("DROP TABLE post_fts;" + sql)
        #expect(report.rules(.warning) == [.tableDropped], "\(report.findings.map(\.line))")
        #expect(try report.finding(.tableDropped).message.contains("is no longer a full-text index of post"))
    }

    @Test func whatReplacesItIsEnough() async throws {
        try await verify(
            "DROP TABLE post_fts;" + Self.replacement + "INSERT INTO other(other) VALUES('rebuild');"
        )
        .expectNothing()
        try await verify("ALTER TABLE post_fts RENAME TO found;").expectNothing()
        try await verify(
            "DROP TABLE post_fts;",
            "CREATE VIRTUAL TABLE post_fts USING fts5(title, content=post, content_rowid=id); INSERT INTO post_fts(post_fts) VALUES ('rebuild');"
        ).expectNothing()
    }

    /// One migration drops the index, a later one creates another in its place.
    @Test(arguments: [
        replacement,
        "ALTER TABLE post RENAME TO article; CREATE VIRTUAL TABLE found USING fts5(title, content=article);",
        "CREATE VIRTUAL TABLE post_fts USING fts5(body);",
    ])
    func aLaterMigrationReplacesIt(_ later: String) async throws {
        let report = try await verify("DROP TABLE post_fts;", later)
        let finding = try report.finding(.tableDropped)
        #expect(finding.severity == .note && finding.tags == [.healed], "\(report.findings.map(\.line))")
    }

    @Test func anIndexGoesWithItsText() async throws {
        let report = try await verify(
            """
            -- drydock: drops view shown
            DROP TABLE shown_fts;
            DROP VIEW shown;
            """)
        #expect(!report.findings.contains { $0.rule == .tableDropped }, "\(report.findings.map(\.line))")
    }
}
