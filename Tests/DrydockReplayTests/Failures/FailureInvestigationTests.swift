import Drydock
import Testing

@testable import DrydockTestSupport

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
            says:
                "NOT NULL constraint failed: new.mail: rows 3 and 5 of person have email = NULL, which the copy puts into mail"
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
            "NOT NULL for a reference", schema: person, rows: people,
            "ALTER TABLE person ADD COLUMN other INTEGER NOT NULL REFERENCES person(id)",
            says: "Cannot add a NOT NULL column with default value NULL", help: "Add it without NOT NULL"
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
            says: "datatype mismatch: row 'x' of tag has code = 'x'",
            help: "Keep the type that code had in tag"
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
            finding.message.hasSuffix(
                "2 rows of t (such as k = 'a', v = 1) have v = 1; PRIMARY KEY (k, v) allowed that: it is also of other columns"
            ), "\(finding.message)"
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
            finding.message.hasSuffix(
                "row 2 of old has a = 'y', which the copy puts into k, as does a row that was there before"),
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
