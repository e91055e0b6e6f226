import Drydock
import Testing

@testable import DrydockTestSupport

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
    private static let without = """
        -- drydock: drops column note.body
        CREATE TABLE new(id INTEGER PRIMARY KEY, title TEXT, size INTEGER);
        INSERT INTO new SELECT id, title, size FROM note;

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
            "a view of a column that a rebuild leaves out",
            schema: note + views + "CREATE VIEW bodies AS SELECT id, \"body\" FROM note;", rows: rows,
            without + "DROP TABLE note;\nALTER TABLE new RENAME TO note;\n",
            says: "error in view titles: no such table: main.note",
            help: "Recreate view bodies at the end, without body, where still needed:"
        ) { finding in
            let (drops, creates) = (finding.proposed("DROP "), finding.proposed("CREATE "))
            return without + drops + "DROP TABLE note;\nALTER TABLE new RENAME TO note;\n" + creates
                + "CREATE VIEW bodies AS SELECT id FROM note;"
        },
        RemedyCase(
            "a trigger on a view of a column that a rebuild leaves out",
            schema: note + "CREATE VIEW bodies AS SELECT id, body FROM note;"
                + "CREATE TRIGGER filed INSTEAD OF INSERT ON bodies BEGIN SELECT new.body; END;", rows: rows,
            without + "DROP TABLE note;\nALTER TABLE new RENAME TO note;\n",
            says: "error in view bodies: no such table: main.note",
            help: "Recreate view bodies and trigger filed at the end, without body, where still needed:"
        ) { finding in
            without + finding.proposed("DROP ") + "DROP TABLE note;\nALTER TABLE new RENAME TO note;\n"
                + "CREATE VIEW bodies AS SELECT id FROM note;\n"
                + "CREATE TRIGGER filed INSTEAD OF INSERT ON bodies BEGIN SELECT new.id; END;"
        },
        RemedyCase(
            "an index on a dropped column",
            schema: note
                + "CREATE INDEX by_title ON note(title); CREATE INDEX long ON note(id) WHERE length(title) > 3;",
            rows: rows, "-- drydock: drops column note.title\nALTER TABLE note DROP COLUMN title",
            says: "no such column: title; index by_title and index long use title",
            help: "DROP INDEX by_title;"
        ) { "-- drydock: drops column note.title\n" + $0.proposedSQL + "ALTER TABLE note DROP COLUMN title" },
        RemedyCase(
            "a view of a dropped column", schema: note + views, rows: rows,
            "-- drydock: drops column note.title\nALTER TABLE note DROP COLUMN title",
            says: "no such column: title; view titles and view \"all titles\" use title",
            help: "Recreate view titles at the end, without title"
        ) {
            // The SQL that recreates the objects must not name a dropped column.
            "-- drydock: drops column note.title\n" + $0.proposed("DROP ")
                + "ALTER TABLE note DROP COLUMN title;\nCREATE VIEW titles AS SELECT body FROM note;\n"
                + $0.proposed("CREATE ")
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
                + "CREATE TRIGGER kept AFTER UPDATE ON note BEGIN SELECT new.body; END;"
        },
        RemedyCase(
            "an index, a view and a trigger at once",
            schema: note + """
                CREATE INDEX "by title" ON note(title); CREATE VIEW v AS SELECT id, title FROM note;
                CREATE TRIGGER kept AFTER UPDATE ON note BEGIN SELECT new.title; END;
                """, rows: rows,
            "-- drydock: drops column note.title\nALTER TABLE note DROP COLUMN title",
            says: "; index \"by title\", view v and trigger kept use title"
        ) {
            "-- drydock: drops column note.title\n" + $0.proposed("DROP ")
                + "ALTER TABLE note DROP COLUMN title;\nCREATE VIEW v AS SELECT id FROM note;\n"
                + "CREATE TRIGGER kept AFTER UPDATE ON note BEGIN SELECT new.id; END;"
        },
        RemedyCase(
            "a view that the same migration creates", schema: note, rows: rows,
            """
            -- drydock: drops column note.title
            CREATE VIEW titles AS SELECT title FROM note;
            ALTER TABLE note DROP COLUMN title
            """, says: "error in view titles after drop column: no such column: title",
            help: "Create view titles after line 3 instead of in line 2, without title."
        ) { _ in
            """
            -- drydock: drops column note.title
            ALTER TABLE note DROP COLUMN title;
            CREATE VIEW titles AS SELECT body FROM note;
            """
        },
        RemedyCase(
            "a view that a rebuild creates too early",
            schema: note + "CREATE VIEW v AS SELECT title FROM note;",
            rows: rows,
            "DROP VIEW v;\n"
                + rebuild.replacing(
                    "ALTER TABLE", with: "CREATE VIEW v AS SELECT title FROM note;\nALTER TABLE"),
            says: "error in view v: no such table: main.note",
            help: "Create view v after line 6 instead of in line 5."
        ) { _ in "DROP VIEW v;\n" + rebuild + "CREATE VIEW v AS SELECT title FROM note;\n" },
        RemedyCase(
            "a view with triggers in the way of a rebuild",
            schema: note
                + "CREATE VIEW v AS SELECT title FROM note;\nCREATE TRIGGER v_in INSTEAD OF INSERT ON v BEGIN SELECT new.title; END;",
            rows: rows, rebuild, says: "error in view v: no such table: main.note"
        ) { finding in
            let (drops, creates) = (finding.proposed("DROP "), finding.proposed("CREATE "))
            return rebuild.replacing("ALTER TABLE new", with: drops + "ALTER TABLE new") + creates
        },
        RemedyCase(
            "a column that another table references",
            schema:
                "CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT); CREATE UNIQUE INDEX u ON note(title); CREATE TABLE tag(id INTEGER PRIMARY KEY, t REFERENCES note(title));",
            rows: "INSERT INTO note VALUES (1, 'a'); INSERT INTO tag VALUES (1, 'a');",
            "-- drydock: drops column note.title\nALTER TABLE note DROP COLUMN title",
            says: "error in index u after drop column: no such column: title",
            help: "Rebuild tag first without FOREIGN KEY (t), which references title."
        ) {
            "CREATE TABLE new(id INTEGER PRIMARY KEY, t); INSERT INTO new SELECT id, t FROM tag; DROP TABLE tag; ALTER TABLE new RENAME TO tag;\n-- drydock: drops column note.title\n"
                + $0.proposedSQL + "ALTER TABLE note DROP COLUMN title"
        },
        RemedyCase(
            "a broken view and a renamed column",
            schema: note
                + "CREATE VIEW v AS SELECT title FROM note;\nCREATE VIEW w AS SELECT id FROM nowhere;",
            rows: rows,
            "ALTER TABLE note RENAME COLUMN title TO \"the name\"",
            says: "error in view w: no such table: main.nowhere",
            help: "DROP VIEW w;"
        ) { $0.proposed("DROP ") + "ALTER TABLE note RENAME COLUMN title TO \"the name\";\n" },
        RemedyCase(
            "a CHECK, a generated column and a key over a dropped column",
            schema: """
                CREATE TABLE other(t TEXT PRIMARY KEY);
                CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT REFERENCES other(t), body TEXT, size AS (length(title)),
                  CHECK (title <> ''), UNIQUE (title, body));
                """, rows: "INSERT INTO note(id, body) VALUES (1, 'b');",
            "-- drydock: drops column note.title\nALTER TABLE note DROP COLUMN title",
            says:
                "which generated column size, CHECK (title <> ''), FOREIGN KEY (title) and UNIQUE (title, body) use",
            help: "Rebuild note without all of them instead"
        ) { $0.proposedDeclarations + $0.proposedSQL },
        RemedyCase(
            "all objects that can be in the way",
            schema: """
                CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT, body TEXT, CHECK (title <> body));
                CREATE INDEX by_title ON note(title); CREATE VIEW v AS SELECT id, title FROM note;
                CREATE VIEW w AS SELECT id FROM v;
                CREATE TRIGGER kept AFTER UPDATE OF title ON note BEGIN SELECT new.title; END;
                """, rows: "INSERT INTO note VALUES (1, 'a', 'b');",
            "-- drydock: drops column note.title\nALTER TABLE note DROP COLUMN title",
            says: "which CHECK (title <> body), index by_title, view v, view w and trigger kept use",
            help: "Recreate view v, view w and trigger kept at the end, without title"
        ) {
            $0.proposedDeclarations + $0.proposedSQL
                + "CREATE VIEW v AS SELECT id FROM note; CREATE VIEW w AS SELECT id FROM v;\n"
                + "CREATE TRIGGER kept AFTER UPDATE OF body ON note BEGIN SELECT new.body; END;"
        },
        RemedyCase(
            "a UNIQUE column", schema: "CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT UNIQUE, body);",
            rows: "INSERT INTO note VALUES (1, 'a', 'b');",
            "-- drydock: drops column note.title\nALTER TABLE note DROP COLUMN title",
            says: "cannot drop UNIQUE column: \"title\", which UNIQUE (title) uses"
        ) { $0.proposedDeclarations + $0.proposedSQL },
    ]

    @Test(arguments: cases) func objectsThatDependOnATableAreNamed(_ it: RemedyCase) async throws {
        try await it.check()
    }

    private static let index = """
        CREATE VIRTUAL TABLE found USING fts5(title, body, content='note', content_rowid='id');
        INSERT INTO found(found) VALUES('rebuild');

        """

    static let searches = [
        RemedyCase(
            "'rebuild' after a renamed column", schema: note + index, rows: rows,
            "ALTER TABLE note RENAME COLUMN body TO text;\nINSERT INTO found(found) VALUES('rebuild');",
            says: "SQL logic error: note has no column body", help: "'rebuild' does not help"
        ) { "ALTER TABLE note RENAME COLUMN body TO text;\n" + $0.proposedSQL },
        RemedyCase(
            "a renamed column", schema: note + index,
            rows: rows + "INSERT INTO found(found) VALUES('rebuild');",
            "ALTER TABLE note RENAME COLUMN body TO text;", rule: .searchIndexStale,
            says: "full-text index found cannot be read: note has no column body",
            help: "'rebuild' does not help"
        ) { "ALTER TABLE note RENAME COLUMN body TO text;\n" + $0.proposedSQL },
        RemedyCase(
            "a renamed column that FTS4 reads",
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
            says: "SQL logic error: its content table note is now called page"
        ) { "ALTER TABLE note RENAME TO page;\n" + $0.proposedSQL },
        RemedyCase(
            "a renamed content table, with triggers that keep the index current",
            schema: note + index
                + "CREATE TRIGGER filed AFTER INSERT ON note BEGIN INSERT INTO found(rowid, title, body) VALUES (new.id, new.title, new.body); END;",
            rows: rows + "INSERT INTO found(found) VALUES('rebuild');",
            "ALTER TABLE note RENAME TO \"My page\";",
            rule: .searchIndexStale,
            says: "full-text index found cannot be read: its content table note is now called My page",
            help: "since the index reads a table by its old name"
        ) { "ALTER TABLE note RENAME TO \"My page\";\n" + $0.proposedSQL },
        RemedyCase(
            "a renamed content table of FTS4 with a renamed column",
            schema: note + "CREATE VIRTUAL TABLE found USING fts4(content=\"note\", title, body);",
            rows: rows + "INSERT INTO found(found) VALUES('rebuild');",
            "ALTER TABLE note RENAME TO page;\nALTER TABLE page RENAME body TO text;",
            rule: .searchIndexStale,
            says:
                "full-text index found cannot be read: its content table note is now called page, and page has no column body"
        ) { "ALTER TABLE note RENAME TO page;\nALTER TABLE page RENAME body TO text;\n" + $0.proposedSQL },
    ]

    @Test(arguments: searches) func aSearchIndexIsRecreated(_ it: RemedyCase) async throws {
        try await it.check()
    }
}

extension Finding {
    /// Returns the proposed statements that begin with a word.
    fileprivate func proposed(_ word: String) -> String {
        proposedSQL.split(separator: "\n").filter { $0.hasPrefix(word) }.joined(separator: "\n") + "\n"
    }
}
