import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct StaleIndexRuleTests {
    private static let page = """
        CREATE TABLE page(url TEXT PRIMARY KEY, body TEXT);
        CREATE VIRTUAL TABLE found USING fts5(body, content='page');

        """
    private static let made = "CREATE TABLE n(url TEXT PRIMARY KEY, body TEXT, lang TEXT);"
    private static let renamed = "DROP TABLE page; ALTER TABLE n RENAME TO page;"
    private static let rebuild =
        made + "INSERT INTO n(url, body) SELECT url, body FROM page;" + renamed

    @Test(arguments: [
        LintCase("external content", schema: page, rebuild, says: [.warning]),
        LintCase(
            "renamed first", schema: page.replacing("content='page'", with: "content=\"page\""),
            """
            ALTER TABLE page RENAME TO old; CREATE TABLE page(url TEXT PRIMARY KEY, body TEXT);
            INSERT INTO page SELECT * FROM old; DROP TABLE old;
            """, says: [.warning]),
        LintCase(
            "a key that becomes the rowid", schema: page.replacing("url TEXT", with: "url INT"),
            """
            CREATE TABLE n(url INTEGER PRIMARY KEY, body TEXT);
            INSERT INTO n(url, body) SELECT url, body FROM page;
            """ + renamed, says: [.warning]),
        LintCase(
            "filled by triggers",
            schema: """
                CREATE TABLE page(url TEXT PRIMARY KEY, body TEXT); CREATE VIRTUAL TABLE found USING fts5(body, content='');
                CREATE TRIGGER page_in AFTER INSERT ON page BEGIN INSERT INTO found(rowid, body) VALUES (new.rowid, new.body); END;
                """, rebuild, says: [.warning]),
        LintCase(
            "FTS4",
            schema: page.replacing("fts5(body, content='page')", with: "fts4(body, content=\"page\")"),
            rebuild, says: [.warning]),
    ]) func rowidsThatChange(_ it: LintCase) async throws { try await it.check(.searchIndexStale) }

    @Test(arguments: [
        LintCase(
            "the rowid is copied", schema: page,
            made + "INSERT INTO n(rowid, url, body) SELECT rowid, url, body FROM page;" + renamed),
        LintCase(
            "the rowid becomes the key", schema: page,
            "CREATE TABLE n(id INTEGER PRIMARY KEY, url TEXT UNIQUE, body TEXT); INSERT INTO n(id, url, body) SELECT rowid, url, body FROM page;"
                + renamed),
        LintCase("made again", schema: page, rebuild + "INSERT INTO found(found) VALUES ('rebuild');"),
        LintCase(
            "another one", schema: page,
            "DROP TABLE found;" + rebuild + "CREATE VIRTUAL TABLE found USING fts5(body, content='page');"),
        LintCase(
            "an INTEGER PRIMARY KEY",
            schema: page.replacing("url TEXT PRIMARY KEY", with: "id INTEGER PRIMARY KEY, url TEXT"),
            "CREATE TABLE n(id INTEGER PRIMARY KEY, url TEXT, body TEXT); INSERT INTO n(id, url, body) SELECT id, url, body FROM page;"
                + renamed),
        LintCase("no index", schema: "CREATE TABLE page(url TEXT PRIMARY KEY, body TEXT)", rebuild),
        LintCase(
            "of another table", schema: page.replacing("content='page'", with: "content='other'"), rebuild),
    ]) func rowidsThatStay(_ it: LintCase) async throws { try await it.check(.searchIndexStale) }

    /// The copy gives the rows other numbers where one was deleted.
    @Test func theIndexFindsNothing() throws {
        let database = try PlainDatabase()
        try database.execute(Self.page)
        for (word, number) in [("one", 1), ("two", 2), ("three", 3)] {
            try database.execute(
                "INSERT INTO page VALUES ('\(word)', '\(word)'); INSERT INTO found(rowid, body) VALUES (\(number), '\(word)');"
            )
        }
        try database.execute(
            "INSERT INTO found(found, rowid, body) VALUES ('delete', 1, 'one'); DELETE FROM page WHERE url = 'one';"
                + Self.rebuild)
        let found = try database.rows("SELECT body FROM found WHERE found MATCH 'two'") { $0.string(0) }
        #expect(found == ["three"])
    }

    private static let notes = """
        CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT); CREATE VIRTUAL TABLE found USING fts5(body);
        CREATE VIRTUAL TABLE place USING rtree(id, x0, x1);

        """

    @Test(arguments: [
        LintCase("DELETE", schema: notes, "DELETE FROM found_data", says: [.error]),
        LintCase("of the text", schema: notes, "DELETE FROM found_content WHERE id = 1", says: [.error]),
        LintCase("UPDATE", schema: notes, "UPDATE found_content SET c0 = ''", says: [.error]),
        LintCase("INSERT", schema: notes, "INSERT INTO \"Found_Docsize\"(id) VALUES (7)", says: [.error]),
        LintCase("an R-Tree", schema: notes, "DELETE FROM place_node", says: [.error]),
        LintCase(
            "in a trigger", schema: notes,
            "CREATE TRIGGER g AFTER DELETE ON note BEGIN DELETE FROM found_content WHERE id = old.id; END",
            says: [.error]),
        LintCase("the index itself", schema: notes, "-- drydock: deletes from found\nDELETE FROM found"),
        LintCase(
            "an ordinary table with such a name", schema: notes + "CREATE TABLE found_words(a);",
            "-- drydock: deletes from found_words\nDELETE FROM found_words"),
        LintCase(
            "a table of an index without text",
            schema: "CREATE VIRTUAL TABLE found USING fts5(body, content=''); CREATE TABLE found_content(a);",
            "-- drydock: deletes from found_content\nDELETE FROM found_content"),
        LintCase(
            "an ordinary table with the name of such a table", schema: "CREATE TABLE found_data(a)",
            "-- drydock: deletes from found_data\nDELETE FROM found_data"),
        LintCase("SELECT", schema: notes, "CREATE VIEW w AS SELECT count(*) FROM found_docsize"),
    ]) func tablesOfTheIndex(_ it: LintCase) async throws { try await it.check(.searchIndexStale) }

    @Test func theIndexIsDamaged() throws {
        let database = try PlainDatabase()
        try database.execute(Self.notes + "INSERT INTO found VALUES ('word'); DELETE FROM found_data;")
        #expect(throws: PlainDatabase.Failure.self) {
            try database.execute("INSERT INTO found(found) VALUES ('integrity-check')")
        }
    }

    @Test func theRemedyIsProposed() async throws {
        let it = LintCase("", schema: Self.page, Self.rebuild, says: [.warning])
        let finding = try #require(try await it.check(.searchIndexStale).first)
        #expect(finding.help.contains("INSERT INTO found(found) VALUES ('rebuild');"))
        #expect(finding.help.contains("INSERT INTO n(rowid, ...) SELECT rowid, ... FROM page."))
    }
}
