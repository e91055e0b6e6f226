import Drydock
import Testing

/// The messages about rows that a constraint refuses, and whether the advice helps.
@Suite struct FailureInvestigationTests {
    private static let person = """
        CREATE TABLE person(id INTEGER PRIMARY KEY, email TEXT, age, note TEXT);

        """
    private static let people = """
        INSERT INTO person VALUES (1, 'a@x', 1, NULL), (2, 'b@x', 2, ''), (3, NULL, 3, 'n'), (4, 'a@x', 'old', 'n'),
          (5, NULL, 5, 'n'), (6, 'A@x', -6, 'n');
        """

    /// Returns a rebuild of `person` with a new definition.
    private static func rebuild(_ columns: String, _ copy: String = "INSERT INTO new SELECT * FROM person;")
        -> String
    {
        "CREATE TABLE new(\(columns));\n\(copy)\nDROP TABLE person;\nALTER TABLE new RENAME TO person;"
    }

    static let duplicates = [
        RemedyCase(
            "a unique index", schema: person, rows: people, "CREATE UNIQUE INDEX u ON person(email)",
            says: "UNIQUE constraint failed: person.email: rows 1 and 4 of person have email = 'a@x'",
            redacted: "rows 1 and 4 of person have email = text(3 bytes)",
            help: "or make the index without UNIQUE"
        ) { $0.proposedDeclarations + $0.proposedSQL + "CREATE UNIQUE INDEX u ON person(email)" },
        RemedyCase(
            "the index without UNIQUE", schema: person, rows: people,
            "CREATE UNIQUE INDEX u ON person(email)",
            says: "rows 1 and 4 of person have email = 'a@x'"
        ) { _ in "CREATE INDEX u ON person(email)" },
        RemedyCase(
            "another value", schema: person, rows: people, "CREATE UNIQUE INDEX u ON person(email)",
            says: "rows 1 and 4 of person have email = 'a@x'",
            help: "Give all but one of them another value first"
        ) { _ in
            "-- drydock: rewrites person.email\nUPDATE person SET email = 'c@x' WHERE id = 4;\nCREATE UNIQUE INDEX u ON person(email)"
        },
        RemedyCase(
            "a unique index NOCASE", schema: person, rows: people,
            "CREATE UNIQUE INDEX u ON person(email COLLATE NOCASE)",
            says: "rows 1, 4 and 6 of person, the first with email = 'a@x'"
        ) {
            $0.proposedDeclarations + $0.proposedSQL + "CREATE UNIQUE INDEX u ON person(email COLLATE NOCASE)"
        },
        RemedyCase(
            "a unique index over an expression", schema: person, rows: people,
            "CREATE UNIQUE INDEX u ON person(lower(email), note) WHERE note IS NOT NULL",
            says:
                "UNIQUE constraint failed: index 'u': rows 4 and 6 of person have lower(email) = 'a@x', note = 'n'"
        ) {
            $0.proposedDeclarations + $0.proposedSQL
                + "CREATE UNIQUE INDEX u ON person(lower(email), note) WHERE note IS NOT NULL"
        },
        RemedyCase(
            "a copy into a stricter table", schema: person, rows: people,
            rebuild("id INTEGER PRIMARY KEY, email TEXT UNIQUE COLLATE NOCASE, age, note TEXT"),
            says: "rows 1, 4 and 6 of person, the first with email = 'a@x'",
            help: "before the copy"
        ) {
            $0.proposedDeclarations + $0.proposedSQL
                + rebuild("id INTEGER PRIMARY KEY, email TEXT UNIQUE COLLATE NOCASE, age, note TEXT")
        },
        RemedyCase(
            "a copy into a table of another key", schema: person, rows: people,
            "CREATE TABLE mail(address TEXT PRIMARY KEY, of INTEGER);\nINSERT INTO mail(address, of) SELECT email, id FROM person WHERE email IS NOT NULL;",
            says: "UNIQUE constraint failed: mail.address: rows 1 and 4 of person have address = 'a@x'"
        ) {
            $0.proposedDeclarations + $0.proposedSQL
                + "CREATE TABLE mail(address TEXT PRIMARY KEY, of INTEGER);\nINSERT INTO mail(address, of) SELECT email, id FROM person WHERE email IS NOT NULL;"
        },
        RemedyCase(
            "values that are moved up one by one",
            schema: "CREATE TABLE item(id INTEGER PRIMARY KEY, place INTEGER UNIQUE);",
            rows: "INSERT INTO item VALUES (1, 1), (2, 2), (3, 3);",
            "-- drydock: rewrites item.place\nUPDATE item SET place = place + 1",
            says: "a row gets a value that another row still has, though in the end all would differ",
            help: "as negative ones"
        ) { _ in
            "-- drydock: rewrites item.place\nUPDATE item SET place = -(place + 1);\nUPDATE item SET place = -place"
        },
    ]

    private static let pets = """
        CREATE TABLE pet(id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person(id) ON DELETE CASCADE, name TEXT);
        CREATE TABLE "the friend"("of" REFERENCES person ON DELETE SET NULL, since TEXT);

        """
    private static let owners =
        people + "INSERT INTO pet VALUES (1, 1, 'Rex'), (2, 4, 'Tom'), (3, 6, 'Kit'), (4, NULL, 'Stray');"
        + "INSERT INTO \"the friend\" VALUES (4, 'x'), (2, 'y');"

    /// Rows that others reference.
    static let referenced = [
        RemedyCase(
            "a unique index", schema: person + pets, rows: owners, "CREATE UNIQUE INDEX u ON person(email)",
            says: "rows 1 and 4 of person have email = 'a@x'",
            help: "have pet and \"the friend\" reference the first of each"
        ) { $0.proposedDeclarations + $0.proposedSQL + "CREATE UNIQUE INDEX u ON person(email)" },
        RemedyCase(
            "a unique index NOCASE with a condition", schema: person + pets, rows: owners,
            "CREATE UNIQUE INDEX u ON person(email COLLATE NOCASE) WHERE note IS NULL OR note = 'n'",
            says: "rows 1, 4 and 6 of person, the first with email = 'a@x'"
        ) {
            $0.proposedDeclarations + $0.proposedSQL
                + "CREATE UNIQUE INDEX u ON person(email COLLATE NOCASE) WHERE note IS NULL OR note = 'n'"
        },
        RemedyCase(
            "rows that reference their own table",
            schema:
                "CREATE TABLE node(id INTEGER PRIMARY KEY, up REFERENCES node(id) ON DELETE CASCADE, name TEXT);",
            rows: "INSERT INTO node VALUES (1, NULL, 'r'), (2, 1, 'a'), (3, 1, 'a'), (4, 3, 'b');",
            "CREATE UNIQUE INDEX u ON node(name)", says: "rows 2 and 3 of node have name = 'a'",
            help: "have node reference the first of each"
        ) { $0.proposedDeclarations + $0.proposedSQL + "CREATE UNIQUE INDEX u ON node(name)" },
        RemedyCase(
            "a copy into a stricter table", schema: person + pets, rows: owners,
            rebuild("id INTEGER PRIMARY KEY, email TEXT UNIQUE, age, note TEXT"),
            says: "rows 1 and 4 of person have email = 'a@x'"
        ) {
            $0.proposedDeclarations + $0.proposedSQL
                + rebuild("id INTEGER PRIMARY KEY, email TEXT UNIQUE, age, note TEXT")
        },
    ]

    @Test(arguments: referenced) func childrenKeepAParent(_ it: RemedyCase) async throws {
        try await it.check()
    }

    /// Where the children cannot simply reference another row, no proposal deletes them.
    @Test(arguments: [
        "CREATE TABLE pet(person_id INTEGER PRIMARY KEY REFERENCES person(id) ON DELETE CASCADE);",
        "CREATE TABLE pet(a, person_id REFERENCES person(id) ON DELETE CASCADE, UNIQUE(a, person_id));",
        "CREATE TABLE pet(a, b, FOREIGN KEY (a, b) REFERENCES person(id, email));",
        "CREATE TABLE pet(a); CREATE TRIGGER gone AFTER DELETE ON person BEGIN DELETE FROM pet WHERE a = old.id; END;",
    ]) func noDeleteIsProposed(_ child: String) async throws {
        let report = try await Scenario(
            Self.person + child, rows: Self.people, steps: "CREATE UNIQUE INDEX u ON person(email)"
        ).verify()
        let finding = try #require(report.findings.first { $0.migration == "v2" })
        #expect(
            !finding.help.contains("DELETE FROM") && finding.help.contains("one of each"), "\(finding.help)")
    }

    /// With foreign keys on, as under most tools.
    @Test func childrenAreKeptWhereForeignKeysAreOn() async throws {
        var project = D1FormatTests.project
        project.rows +=
            ";INSERT INTO person(id, name) VALUES (3, 'Ada'); INSERT INTO pet VALUES (3, 3, 'Kit')"
        let index = "CREATE UNIQUE INDEX u ON person(name);\n"
        let finding = try await project.with("0010_index.sql", index).verify().finding(.migrationFailed)
        let better = finding.proposedDeclarations + finding.proposedSQL + index
        let report = try await project.with("0010_index.sql", better).verify()
        report.expectNothing()
    }

    @Test(arguments: duplicates) func duplicatesAreNamed(_ it: RemedyCase) async throws {
        try await it.check()
    }

    @Test func theNumberOfFurtherRowsIsReported() async throws {
        let rows =
            "INSERT INTO log VALUES ('a'), ('a'), ('a'), ('a'), ('a'), ('a'), ('a'), ('b'), ('b'), ('c'), (NULL), (NULL);"
        let finding = try await Scenario(
            "CREATE TABLE log(k);", rows: rows, steps: "CREATE UNIQUE INDEX i ON log(k)"
        )
        .verify().finding(.migrationFailed)
        #expect(
            finding.message.hasSuffix(
                "rows 1, 2, 3, 4, 5 and 2 more of log, the first with k = 'a'; 1 more value is shared, by 2 rows"
            ),
            "\(finding.message)")
        #expect(finding.evidence?.rows.count == 5)
        #expect(finding.tags == [.dataDependent])
    }

    static let refusals = [
        RemedyCase(
            "NULL in a rebuild", schema: person, rows: people,
            rebuild("id INTEGER PRIMARY KEY, email TEXT NOT NULL DEFAULT '', age, note TEXT"),
            says: "NOT NULL constraint failed: new.email: rows 3 and 5 of person have email = NULL",
            help: "which a DEFAULT does not replace"
        ) {
            $0.proposedDeclarations
                + rebuild(
                    "id INTEGER PRIMARY KEY, email TEXT NOT NULL DEFAULT '', age, note TEXT", $0.proposedSQL)
        },
        RemedyCase(
            "NULL in a rebuild, columns named and quoted", schema: person, rows: people,
            rebuild(
                "id INTEGER PRIMARY KEY, mail TEXT NOT NULL, age, note TEXT",
                "INSERT INTO \"new\"(\"mail\", id, age, note) SELECT p.\"email\", p.id, age, note FROM person AS p;"
            ),
            says: "NOT NULL constraint failed: new.mail: rows 3 and 5 of person have mail = NULL"
        ) {
            "-- drydock: renames column person.email to person.mail\n" + $0.proposedDeclarations
                + rebuild("id INTEGER PRIMARY KEY, mail TEXT NOT NULL, age, note TEXT", $0.proposedSQL)
        },
        RemedyCase(
            "NULL in a rebuild, with a default that would be text", schema: person, rows: people,
            rebuild("id INTEGER PRIMARY KEY, email BOOLEAN NOT NULL DEFAULT 'false', age, note TEXT"),
            says: "NOT NULL constraint failed: new.email: rows 3 and 5 of person have email = NULL",
            help: "Give a value in the SELECT, 0 or another:"
        ) {
            $0.proposedDeclarations
                + rebuild(
                    "id INTEGER PRIMARY KEY, email BOOLEAN NOT NULL DEFAULT FALSE, age, note TEXT",
                    $0.proposedSQL)
        },
        RemedyCase(
            "a column that the copy leaves out", schema: person, rows: people,
            rebuild(
                "id INTEGER PRIMARY KEY, email TEXT, age, note TEXT, kind TEXT NOT NULL",
                "INSERT INTO new(id, email, age, note) SELECT * FROM person;"),
            says:
                "NOT NULL constraint failed: new.kind: rows 1, 2, 3, 4, 5 and 1 more of person, the first with kind = NULL",
            help: "give it a DEFAULT in the new table"
        ) { _ in
            rebuild(
                "id INTEGER PRIMARY KEY, email TEXT, age, note TEXT, kind TEXT NOT NULL DEFAULT ''",
                "INSERT INTO new(id, email, age, note) SELECT * FROM person;")
        },
        RemedyCase(
            "NOT NULL without a default", schema: person, rows: people,
            "ALTER TABLE person ADD COLUMN kind TEXT NOT NULL",
            says: "Cannot add a NOT NULL column with default value NULL", help: "Give it a default"
        ) { $0.proposedSQL },
        RemedyCase(
            "a CHECK in a rebuild", schema: person, rows: people,
            rebuild(
                "id INTEGER PRIMARY KEY, email TEXT, age CHECK (typeof(age) <> 'integer' OR age > 0), note TEXT"
            ),
            says: "row 6 of person has age = -6", redacted: "row 6 of person has age = integer",
            help: "before the copy, with UPDATE"
        ) {
            $0.proposedDeclarations + "UPDATE person SET age = 6 WHERE id = 6;\n"
                + rebuild(
                    "id INTEGER PRIMARY KEY, email TEXT, age CHECK (typeof(age) <> 'integer' OR age > 0), note TEXT"
                )
        },
        RemedyCase(
            "a CHECK of a new column", schema: person, rows: people,
            "ALTER TABLE person ADD COLUMN size INTEGER DEFAULT 0 CHECK (size > 0)",
            says: "the first with size = 0", help: "DEFAULT that meets CHECK"
        ) { _ in "ALTER TABLE person ADD COLUMN size INTEGER DEFAULT 1 CHECK (size > 0)" },
        RemedyCase(
            "a CHECK of a new column that reads another one", schema: person, rows: people,
            "ALTER TABLE person ADD COLUMN size INTEGER CHECK (typeof(age) = 'text' OR age > 0)",
            says: "row 6 of person has age = -6", help: "No DEFAULT helps"
        ) {
            $0.proposedDeclarations + "UPDATE person SET age = 6 WHERE id = 6;\n"
                + "ALTER TABLE person ADD COLUMN size INTEGER CHECK (typeof(age) = 'text' OR age > 0)"
        },
        RemedyCase(
            "a CHECK of a new column that reads both", schema: person, rows: people,
            "ALTER TABLE person ADD COLUMN size INTEGER DEFAULT 0 CHECK (size > 0 OR age > 0)",
            says: "row 6 of person has age = -6, size = 0", help: "Otherwise: Give age in these rows"
        ) { _ in "ALTER TABLE person ADD COLUMN size INTEGER DEFAULT 1 CHECK (size > 0 OR age > 0)" },
        RemedyCase(
            "a CHECK of a generated column", schema: person, rows: people,
            "ALTER TABLE person ADD COLUMN twice AS (age * 2) CHECK (twice >= 0)",
            says: "row 6 of person has twice = -12", help: "Give age in these rows values"
        ) {
            $0.proposedDeclarations + "UPDATE person SET age = 6 WHERE id = 6;\n"
                + "ALTER TABLE person ADD COLUMN twice AS (age * 2) CHECK (twice >= 0)"
        },
        RemedyCase(
            "STRICT", schema: person, rows: people,
            "CREATE TABLE new(id INTEGER PRIMARY KEY, email TEXT, age INTEGER, note TEXT) STRICT;\nINSERT INTO new SELECT * FROM person;\nDROP TABLE person;\nALTER TABLE new RENAME TO person;",
            says: "cannot store TEXT value in INTEGER column new.age: row 4 of person has age = 'old'",
            redacted: "row 4 of person has age = text(3 bytes)", help: "Declare age as ANY"
        ) { _ in
            "CREATE TABLE new(id INTEGER PRIMARY KEY, email TEXT, age ANY, note TEXT) STRICT;\nINSERT INTO new SELECT * FROM person;\nDROP TABLE person;\nALTER TABLE new RENAME TO person;"
        },
        RemedyCase(
            "a key that is not an integer", schema: "CREATE TABLE tag(code TEXT PRIMARY KEY, n);",
            rows: "INSERT INTO tag VALUES ('1', 1), ('x', 2);",
            "CREATE TABLE new(code INTEGER PRIMARY KEY, n);\nINSERT INTO new SELECT * FROM tag;\nDROP TABLE tag;\nALTER TABLE new RENAME TO tag;",
            says: "datatype mismatch: row 2 of tag has code = 'x'", help: "Keep the type that code had in tag"
        ) { _ in
            "CREATE TABLE new(code TEXT PRIMARY KEY, n);\nINSERT INTO new SELECT * FROM tag;\nDROP TABLE tag;\nALTER TABLE new RENAME TO tag;"
        },
        RemedyCase(
            "JSON in an index", schema: person, rows: people + "UPDATE person SET note = '{}' WHERE id < 6;",
            "CREATE INDEX i ON person(json_extract(note, '$.a')) WHERE id > 2",
            says: "malformed JSON: row 6 of person has note = 'n'",
            redacted: "row 6 of person has note = text(1 byte)",
            help: "Leave such rows out of the index"
        ) { $0.proposedSQL },
        RemedyCase(
            "JSON in an UPDATE", schema: person, rows: people + "UPDATE person SET note = '{}' WHERE id < 6;",
            "UPDATE person SET age = note ->> '$.a' WHERE id = 1 OR id = 6",
            says: "malformed JSON: row 6 of person has note = 'n'", help: "Leave such rows as they are"
        ) { "-- drydock: rewrites person.age\n" + $0.proposedSQL },
        RemedyCase(
            "JSON in a copy", schema: person, rows: people + "UPDATE person SET note = '{}' WHERE id < 6;",
            "CREATE TABLE kind(id INTEGER PRIMARY KEY, kind);\nINSERT INTO kind SELECT id, json_extract(note, '$.a') FROM person",
            says: "malformed JSON: row 6 of person has note = 'n'", help: "CASE WHEN json_valid(note) THEN"
        ) { _ in
            "CREATE TABLE kind(id INTEGER PRIMARY KEY, kind);\nINSERT INTO kind SELECT id, CASE WHEN json_valid(note) THEN json_extract(note, '$.a') END FROM person"
        },
        RemedyCase(
            "JSON behind another function, beside another column", schema: person,
            rows: people + "UPDATE person SET note = '{}' WHERE id < 6;",
            "CREATE TABLE kind(kind, email);\nINSERT INTO kind SELECT json_extract(coalesce(note, '{}'), '$.a'), email FROM person",
            says: "malformed JSON: row 6 of person has note = 'n'", help: "CASE WHEN json_valid(note) THEN"
        ) { _ in
            "CREATE TABLE kind(kind, email);\nINSERT INTO kind SELECT CASE WHEN json_valid(note) THEN json_extract(note, '$.a') END, email FROM person"
        },
    ]

    @Test(arguments: refusals) func refusedRowsAreNamed(_ it: RemedyCase) async throws {
        try await it.check()
    }

    /// A table WITHOUT ROWID has no rowids to identify rows.
    @Test func rowsWithoutRowidAreNamedByTheirKey() async throws {
        let finding = try await Scenario(
            "CREATE TABLE t(k TEXT, v, PRIMARY KEY(k, v)) WITHOUT ROWID;",
            rows: "INSERT INTO t VALUES ('a', 1), ('b', 1);",
            steps: "CREATE UNIQUE INDEX u ON t(v)"
        ).verify().finding(.migrationFailed)
        #expect(
            finding.message.hasSuffix("2 rows of t (such as k = 'a', v = 1) have v = 1"), "\(finding.message)"
        )
        #expect(finding.evidence?.rows.map { $0.key[0].value.literal } == ["'a'", "'b'"])
    }

    /// The rows of the copy have rowids of another table, the rows that existed before do not.
    @Test func anExistingRowIsDistinguishedFromCopiedRows() async throws {
        let finding = try await Scenario(
            "CREATE TABLE old(a); CREATE TABLE new(k TEXT UNIQUE);",
            rows: "INSERT INTO old VALUES ('x'), ('y'); INSERT INTO new VALUES ('p'), ('y');",
            steps: "INSERT INTO new SELECT a FROM old"
        ).verify().finding(.migrationFailed)
        #expect(
            finding.message.hasSuffix("row 2 of old has k = 'y', as a row that was there before"),
            "\(finding.message)")
    }

    @Test func longAndHostileValuesAreCutAndEscaped() async throws {
        let rows =
            "INSERT INTO t VALUES (1, printf('%.200c', 'x')), (2, printf('%.200c', 'x')), (3, char(10, 27) || 'e'), (4, char(10, 27) || 'e');"
        for (condition, shown) in [("id < 3", "…"), ("id > 2", "\\n\\u{1b}e")] {
            let finding = try await Scenario(
                "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT);", rows: rows,
                steps: "CREATE UNIQUE INDEX u ON t(a) WHERE \(condition)"
            ).verify().finding(.migrationFailed)
            #expect(finding.message.contains(shown) && finding.message.count < 250, "\(finding.message)")
        }
    }

    @Test(arguments: [
        ("SELECT * FROM persons", "no such table: persons; did you mean 'person'?"),
        ("DROP TABLE prson", "no such table: prson; did you mean 'person'?"),
        ("UPDATE person SET emial = 1", "no such column: emial; did you mean 'email'?"),
        ("INSERT INTO person(id, emal) VALUES (9, 1)", "has no column named emal; did you mean 'email'?"),
        ("CREATE INDEX i ON person(nte)", "no such column: nte; did you mean 'note'?"),
        ("ALTER TABLE person RENAME COLUMN emaill TO e", "no such column: \"emaill\"; did you mean 'email'?"),
        ("DROP INDEX by_mai", "no such index: by_mai; did you mean 'by_mail'?"),
        ("SELECT p.nota FROM person p", "no such column: p.nota; did you mean 'note'?"),
        ("CREATE TABLE side AS SELECT 1; SELECT * FROM sied", "no such table: sied; did you mean 'side'?"),
        ("SELECT elephant FROM person", "no such column: elephant"),
    ]) func misspeltNamesGetTheNearest(_ sql: String, _ message: String) async throws {
        let finding = try await Scenario(Self.person + "CREATE INDEX by_mail ON person(email);", steps: sql)
            .verify()
            .finding(.migrationFailed)
        #expect(finding.message.hasSuffix(message), "\(finding.message)")
    }
}
