import Drydock
import Testing

@testable import DrydockTestSupport

/// Rows with the same key: which they are, where they come from, and help that keeps every row.
@Suite struct DuplicateKeyExplainerTests {
    private static let person = """
        CREATE TABLE person(id INTEGER PRIMARY KEY, email TEXT, age, note TEXT);

        """
    private static let people = """
        INSERT INTO person VALUES (1, 'a@x', 1, NULL), (2, 'b@x', 2, ''), (3, NULL, 3, 'n'), (4, 'a@x', 'old', 'n'),
          (5, NULL, 5, 'n'), (6, 'A@x', -6, 'n');
        """
    /// The rows that share an address have nothing else.
    private static let alike = people + "UPDATE person SET age = 7, note = 'n' WHERE email LIKE 'a@x';"

    /// Returns a rebuild of `person` with a new definition.
    private static func rebuild(_ columns: String, _ copy: String = "INSERT INTO new SELECT * FROM person;")
        -> String
    {
        "CREATE TABLE new(\(columns));\n\(copy)\nDROP TABLE person;\nALTER TABLE new RENAME TO person;"
    }

    static let duplicates = [
        RemedyCase(
            "a unique index", schema: person, rows: alike, "CREATE UNIQUE INDEX u ON person(email)",
            says: "UNIQUE constraint failed: person.email: rows 1 and 4 of person have email = 'a@x'",
            redacted: "rows 1 and 4 of person have email = text(3 bytes)",
            help: "or create the index without UNIQUE"
        ) { $0.proposedDeclarations + $0.proposedSQL + "CREATE UNIQUE INDEX u ON person(email)" },
        RemedyCase(
            "the index without UNIQUE", schema: person, rows: alike,
            "CREATE UNIQUE INDEX u ON person(email)",
            says: "rows 1 and 4 of person have email = 'a@x'"
        ) { _ in "CREATE INDEX u ON person(email)" },
        RemedyCase(
            "another value", schema: person, rows: alike, "CREATE UNIQUE INDEX u ON person(email)",
            says: "rows 1 and 4 of person have email = 'a@x'",
            help: "Give all but one of them another value first"
        ) { _ in
            "-- drydock: rewrites person.email\nUPDATE person SET email = 'c@x' WHERE id = 4;\nCREATE UNIQUE INDEX u ON person(email)"
        },
        RemedyCase(
            "a unique index NOCASE", schema: person, rows: alike,
            "CREATE UNIQUE INDEX u ON person(email COLLATE NOCASE)",
            says: "rows 1, 4 and 6 of person, the first with email = 'a@x'"
        ) {
            $0.proposedDeclarations + $0.proposedSQL + "CREATE UNIQUE INDEX u ON person(email COLLATE NOCASE)"
        },
        RemedyCase(
            "a unique index over an expression", schema: person, rows: alike,
            "CREATE UNIQUE INDEX u ON person(lower(email), note) WHERE note IS NOT NULL",
            says:
                "UNIQUE constraint failed: index 'u': rows 1, 4 and 6 of person have lower(email) = 'a@x', note = 'n'"
        ) {
            $0.proposedDeclarations + $0.proposedSQL
                + "CREATE UNIQUE INDEX u ON person(lower(email), note) WHERE note IS NOT NULL"
        },
        RemedyCase(
            "a copy into a stricter table", schema: person, rows: alike,
            rebuild("id INTEGER PRIMARY KEY, email TEXT UNIQUE COLLATE NOCASE, age, note TEXT"),
            says: "rows 1, 4 and 6 of person, the first with email = 'a@x'",
            help: "before the copy"
        ) {
            $0.proposedDeclarations + $0.proposedSQL
                + rebuild("id INTEGER PRIMARY KEY, email TEXT UNIQUE COLLATE NOCASE, age, note TEXT")
        },
        RemedyCase(
            "a copy into a table of another key", schema: person, rows: alike,
            "CREATE TABLE mail(address TEXT PRIMARY KEY, of INTEGER);\nINSERT INTO mail(address, of) SELECT email, id FROM person WHERE email IS NOT NULL;",
            says:
                "UNIQUE constraint failed: mail.address: rows 1 and 4 of person have email = 'a@x', which the copy puts into address"
        ) {
            $0.proposedDeclarations + $0.proposedSQL
                + "CREATE TABLE mail(address TEXT PRIMARY KEY, of INTEGER);\nINSERT INTO mail(address, of) SELECT email, id FROM person WHERE email IS NOT NULL;"
        },
        RemedyCase(
            "values that are moved up one by one",
            schema: "CREATE TABLE item(id INTEGER PRIMARY KEY, place INTEGER UNIQUE);",
            rows: "INSERT INTO item VALUES (1, 1), (2, 2), (3, 3);",
            "-- drydock: rewrites item.place\nUPDATE item SET place = place + 1",
            says:
                "a row gets a value that another row still has, although all values would differ in the end",
            help: "such as negative ones"
        ) { _ in
            "-- drydock: rewrites item.place\nUPDATE item SET place = -(place + 1);\nUPDATE item SET place = -place"
        },
    ]

    private static let pets = """
        CREATE TABLE pet(id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person(id) ON DELETE CASCADE, name TEXT);
        CREATE TABLE "the friend"("of" REFERENCES person ON DELETE SET NULL, since TEXT);

        """
    private static let owners =
        alike + "INSERT INTO pet VALUES (1, 1, 'Rex'), (2, 4, 'Tom'), (3, 6, 'Kit'), (4, NULL, 'Stray');"
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
            Self.person + child, rows: Self.alike, steps: "CREATE UNIQUE INDEX u ON person(email)"
        ).verify()
        let finding = try #require(report.findings.first { $0.migration == "v2" })
        #expect(
            !finding.help.contains("DELETE FROM") && finding.help.contains("one of each"), "\(finding.help)")
    }

    /// What a row has besides the key would go with it.
    @Test func noDeleteIsProposedForRowsThatDiffer() async throws {
        let finding = try await Scenario(
            Self.person, rows: Self.people, steps: "CREATE UNIQUE INDEX u ON person(email)"
        ).verify().finding(.migrationFailed)
        #expect(!finding.help.contains("DELETE FROM"), "\(finding.help)")
        #expect(finding.help.contains("They differ in age and note"), "\(finding.help)")
    }

    private static let seat = """
        CREATE TABLE seat(id TEXT PRIMARY KEY, member INT, room INT, active INT NOT NULL);
        CREATE UNIQUE INDEX seat_once ON seat(member, room) WHERE active = 1;
        """
    private static let seats =
        "INSERT INTO seat VALUES ('p', 1, 1, 0), ('q', 1, 1, 0), ('r', 1, 1, 1), ('s', 1, 2, 1);"

    /// Duplicates that the migration made, or that the schema allowed, are no mistake of the data.
    static let wanted = [
        RemedyCase(
            "that are filled after the index",
            schema: "CREATE TABLE Users(Id TEXT PRIMARY KEY, Username TEXT NOT NULL);",
            rows: "INSERT INTO Users VALUES ('a', 'ada'), ('b', 'bob');",
            "ALTER TABLE Users ADD COLUMN Normal TEXT NOT NULL DEFAULT '';\nCREATE UNIQUE INDEX users_normal ON Users(Normal);\nUPDATE Users SET Normal = upper(Username);",
            says: "rows 'a' and 'b' of Users have Normal = '', which line 1 gives them",
            redacted: "2 rows of Users have Normal = text(0 bytes), which line 1 gives them",
            help: "Fill Normal before the index is created: create it after line 3", line: 2
        ) { "ALTER TABLE Users ADD COLUMN Normal TEXT NOT NULL DEFAULT '';\n" + $0.proposedSQL },
        RemedyCase(
            "that an UPDATE made", schema: person, rows: people,
            "-- drydock: rewrites person.email\nUPDATE person SET email = 'x';\nCREATE UNIQUE INDEX u ON person(email)",
            says: "which line 2 gives them", help: "Fill email before the index is created, with UPDATE",
            line: 3
        ) { _ in
            "-- drydock: rewrites person.email\nUPDATE person SET email = 'x' || id;\nCREATE UNIQUE INDEX u ON person(email)"
        },
        RemedyCase(
            "that a copy makes", schema: person, rows: alike,
            rebuild(
                "id INTEGER PRIMARY KEY, email TEXT, age, note TEXT, kind TEXT UNIQUE",
                "INSERT INTO new SELECT *, 'new' FROM person;"),
            says: "kind = 'new', which the copy makes equal", help: "Copy values that differ", line: 2
        ) { _ in
            rebuild(
                "id INTEGER PRIMARY KEY, email TEXT, age, note TEXT, kind TEXT UNIQUE",
                "INSERT INTO new SELECT *, 'new' || id FROM person;")
        },
        RemedyCase(
            "that are filled after the copy", schema: person, rows: people,
            rebuild(
                "id INTEGER PRIMARY KEY, email TEXT, age, note TEXT, slug TEXT UNIQUE",
                "INSERT INTO new SELECT *, '' FROM person;\nUPDATE new SET slug = 's' || id;"),
            says: "slug = '', which the copy makes equal",
            help: "line 3 fills slug only after the copy. Write the value in the SELECT", line: 2
        ) { _ in
            rebuild(
                "id INTEGER PRIMARY KEY, email TEXT, age, note TEXT, slug TEXT UNIQUE",
                "INSERT INTO new SELECT *, 's' || id FROM person;")
        },
        RemedyCase(
            "that a partial index allowed", schema: seat, rows: seats,
            "DROP INDEX seat_once;\nCREATE UNIQUE INDEX seat_once ON seat(member, room);",
            says: "index seat_once allowed that: it is only for rows WHERE active = 1",
            help: "Keep its condition", line: 2
        ) { "DROP INDEX seat_once;\n" + $0.proposedSQL },
        RemedyCase(
            "that a partial index of the table before a rebuild allowed", schema: seat, rows: seats,
            "CREATE TABLE new(id TEXT PRIMARY KEY, member INT, room INT, active INT NOT NULL);\nINSERT INTO new SELECT * FROM seat;\nDROP TABLE seat;\nALTER TABLE new RENAME TO seat;\nCREATE UNIQUE INDEX seat_once ON seat(member, room);",
            says: "index seat_once allowed that: it is only for rows WHERE active = 1",
            help: "Keep its condition", line: 5
        ) {
            "CREATE TABLE new(id TEXT PRIMARY KEY, member INT, room INT, active INT NOT NULL);\nINSERT INTO new SELECT * FROM seat;\nDROP TABLE seat;\nALTER TABLE new RENAME TO seat;\n"
                + $0.proposedSQL
        },
        RemedyCase(
            "that a longer key allowed",
            schema: "CREATE TABLE seat(id INTEGER PRIMARY KEY, member INT, room INT, UNIQUE (member, room));",
            rows: "INSERT INTO seat VALUES (1, 1, 1), (2, 1, 2);", "CREATE UNIQUE INDEX u ON seat(member);",
            says: "UNIQUE (member, room) allowed that: it is also of other columns",
            help: "Keep the key as it was, (member, room)", line: 1
        ) { _ in "CREATE UNIQUE INDEX u ON seat(member, room);" },
        RemedyCase(
            "that another collation told apart",
            schema: "CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT UNIQUE);",
            rows: "INSERT INTO tag VALUES (1, 'a'), (2, 'A');",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, name TEXT UNIQUE COLLATE NOCASE);\nINSERT INTO new SELECT * FROM tag;\nDROP TABLE tag;\nALTER TABLE new RENAME TO tag;",
            says: "UNIQUE (name) allowed that, since it compares them by another collation",
            help: "Keep UNIQUE (name) as it was", line: 2
        ) { _ in
            "CREATE TABLE new(id INTEGER PRIMARY KEY, name TEXT UNIQUE);\nINSERT INTO new SELECT * FROM tag;\nDROP TABLE tag;\nALTER TABLE new RENAME TO tag;"
        },
        RemedyCase(
            "of columns in the wrong places",
            schema:
                "CREATE TABLE remark(id INTEGER PRIMARY KEY, author TEXT NOT NULL, reviewer TEXT, state TEXT NOT NULL);",
            rows: "INSERT INTO remark VALUES (1, 'ada', 'bob', 'open'), (2, 'cy', NULL, 'done');",
            "CREATE TABLE r2(id INTEGER PRIMARY KEY, author TEXT NOT NULL, state TEXT NOT NULL, reviewer TEXT);\nINSERT INTO r2 SELECT * FROM remark;\nDROP TABLE remark;\nALTER TABLE r2 RENAME TO remark;",
            says:
                "NOT NULL constraint failed: r2.state: row 2 of remark has reviewer = NULL, which the copy puts into state",
            help: "Name the columns on both sides of the copy", line: 2
        ) {
            "CREATE TABLE r2(id INTEGER PRIMARY KEY, author TEXT NOT NULL, state TEXT NOT NULL, reviewer TEXT);\n"
                + $0.proposedSQL + "DROP TABLE remark;\nALTER TABLE r2 RENAME TO remark;"
        },
    ]

    @Test(arguments: wanted) func rowsAreKept(_ it: RemedyCase) async throws {
        try await it.check()
    }

    /// With foreign keys on, as under most tools.
    @Test func childrenAreKeptWhereForeignKeysAreOn() async throws {
        var project = D1Project.project
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
}
