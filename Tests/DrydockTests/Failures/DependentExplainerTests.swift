import Drydock
import Testing

@Suite struct DependentExplainerTests {
    private static let note = """
        CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT, body TEXT, size INTEGER);

        """
    private static let rows = "INSERT INTO note VALUES (1, 'a', 'b', 1);"
    private static let rebuild = """
        CREATE TABLE new(id INTEGER PRIMARY KEY, title TEXT, body TEXT, size INTEGER);
        INSERT INTO new SELECT * FROM note;
        DROP TABLE note;
        ALTER TABLE new RENAME TO note;

        """
    private static let views = """
        CREATE VIEW titles AS SELECT title FROM note;
        CREATE VIEW "all titles" AS SELECT * FROM titles;

        """

    static let cases = [
        RemedyCase(
            "views in the way of a rebuild", schema: note + views, rows: rows, rebuild,
            says: "error in view titles: no such table: main.note", help: "before line 4"
        ) { finding in
            let (drops, creates) = (finding.proposed("DROP "), finding.proposed("CREATE "))
            return rebuild.replacing("ALTER TABLE new", with: drops + "ALTER TABLE new") + creates
        },
        RemedyCase(
            "an index on a dropped column",
            schema: note
                + "CREATE INDEX by_title ON note(title); CREATE INDEX long ON note(id) WHERE length(title) > 3;",
            rows: rows, "-- drydock: drops column note.title\nALTER TABLE note DROP COLUMN title",
            says: "error in index by_title after drop column: no such column: title",
            help: "DROP INDEX by_title;"
        ) { "-- drydock: drops column note.title\n" + $0.proposedSQL + "ALTER TABLE note DROP COLUMN title" },
        RemedyCase(
            "a view of a dropped column", schema: note + views, rows: rows,
            "-- drydock: drops column note.title\nALTER TABLE note DROP COLUMN title",
            says: "error in view titles after drop column: no such column: title",
            help: "without what is gone"
        ) {
            "-- drydock: drops column note.title\n" + $0.proposed("DROP ")
                + "ALTER TABLE note DROP COLUMN title;\n"
                + $0.proposed("CREATE ").replacing("SELECT title", with: "SELECT body")
        },
        RemedyCase(
            "a trigger on a dropped column",
            schema: note + "CREATE TRIGGER kept AFTER UPDATE ON note BEGIN SELECT new.title; END;",
            rows: rows,
            "-- drydock: drops column note.title\nALTER TABLE note DROP COLUMN title",
            says: "error in trigger kept after drop column: no such column: new.title",
            help: "DROP TRIGGER kept;"
        ) {
            "-- drydock: drops column note.title\n" + $0.proposed("DROP ")
                + "ALTER TABLE note DROP COLUMN title;\n"
                + $0.proposed("CREATE ").replacing("new.title", with: "new.body")
        },
        RemedyCase(
            "a CHECK, a generated column and a key over a dropped column",
            schema: """
                CREATE TABLE other(t TEXT PRIMARY KEY);
                CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT REFERENCES other(t), body TEXT, size AS (length(title)),
                  CHECK (title <> ''), UNIQUE (title, body));
                """, rows: "INSERT INTO note(id, body) VALUES (1, 'b');",
            "-- drydock: drops column note.title\nALTER TABLE note DROP COLUMN title",
            says:
                "which generated column size and CHECK (title <> '') and FOREIGN KEY (title) and UNIQUE (title, body) use",
            help: "Rebuild note without all of them instead"
        ) { $0.proposedDeclarations + $0.proposedSQL },
        RemedyCase(
            "a UNIQUE column", schema: "CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT UNIQUE, body);",
            rows: "INSERT INTO note VALUES (1, 'a', 'b');",
            "-- drydock: drops column note.title\nALTER TABLE note DROP COLUMN title",
            says: "cannot drop UNIQUE column: \"title\", which UNIQUE (title) uses"
        ) { $0.proposedDeclarations + $0.proposedSQL },
    ]

    @Test(arguments: cases) func whatStandsOnATableIsNamed(_ it: RemedyCase) async throws {
        try await it.check()
    }

    private static let index = """
        CREATE VIRTUAL TABLE found USING fts5(title, body, content='note', content_rowid='id');
        INSERT INTO found(found) VALUES('rebuild');

        """

    static let searches = [
        RemedyCase(
            "'rebuild' behind a renamed column", schema: note + index, rows: rows,
            "ALTER TABLE note RENAME COLUMN body TO text;\nINSERT INTO found(found) VALUES('rebuild');",
            says: "SQL logic error: note has no column body", help: "'rebuild' cannot help"
        ) { "ALTER TABLE note RENAME COLUMN body TO text;\n" + $0.proposedSQL },
        RemedyCase(
            "a renamed column", schema: note + index,
            rows: rows + "INSERT INTO found(found) VALUES('rebuild');",
            "ALTER TABLE note RENAME COLUMN body TO text;", rule: .searchIndexStale,
            says: "full-text index found cannot be read: note has no column body",
            help: "'rebuild' cannot help"
        ) { "ALTER TABLE note RENAME COLUMN body TO text;\n" + $0.proposedSQL },
        RemedyCase(
            "a renamed column behind FTS4",
            schema: note
                + "CREATE VIRTUAL TABLE found USING fts4(content=\"note\", title, body);\nINSERT INTO found(found) VALUES('rebuild');",
            rows: rows,
            "ALTER TABLE note RENAME COLUMN body TO \"the text\";\nINSERT INTO found(found) VALUES('rebuild');",
            says: "SQL logic error: note has no column body"
        ) { "ALTER TABLE note RENAME COLUMN body TO \"the text\";\n" + $0.proposedSQL },
        RemedyCase(
            "a renamed column with options and a quoted name",
            schema:
                "CREATE TABLE note(id INTEGER PRIMARY KEY, \"my title\", body); CREATE VIRTUAL TABLE found USING fts5(\"my title\" UNINDEXED, body, content=\"note\", content_rowid=id, prefix='2 3');",
            rows: "INSERT INTO note VALUES (1, 'a', 'b');",
            "ALTER TABLE note RENAME COLUMN \"my title\" TO title;\nALTER TABLE note RENAME COLUMN id TO n;\nINSERT INTO found(found) VALUES('rebuild');",
            says: "SQL logic error: note has no column my title, id"
        ) {
            "ALTER TABLE note RENAME COLUMN \"my title\" TO title;\nALTER TABLE note RENAME COLUMN id TO n;\n"
                + $0.proposedSQL
        },
        RemedyCase(
            "a renamed content table", schema: note + index, rows: rows,
            "ALTER TABLE note RENAME TO page;\nINSERT INTO found(found) VALUES('rebuild');",
            says: "SQL logic error: its content table note is gone"
        ) { "ALTER TABLE note RENAME TO page;\n" + $0.proposedSQL },
    ]

    @Test(arguments: searches) func aSearchIndexIsRecreated(_ it: RemedyCase) async throws {
        try await it.check()
    }
}

extension Finding {
    /// The proposed statements that begin with a word.
    fileprivate func proposed(_ word: String) -> String {
        proposedSQL.split(separator: "\n").filter { $0.hasPrefix(word) }.joined(separator: "\n") + "\n"
    }
}
