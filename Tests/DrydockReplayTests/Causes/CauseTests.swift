import Drydock
import Testing

@testable import DrydockTestSupport

/// The statement that is named as the cause of a finding, what is said of it, and the help followed to the letter.
@Suite struct CauseTests {
    private static let note = """
        CREATE TABLE note(id INTEGER PRIMARY KEY, words TEXT, changed TEXT);
        CREATE TRIGGER note_changed AFTER UPDATE ON note BEGIN UPDATE note SET changed = 'later' WHERE id = new.id; END;
        """
    private static let notes = "INSERT INTO note VALUES (1, 'a ', 'mon'), (2, 'b', 'tue');"
    private static let item = "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, code TEXT);\n"
    private static let items = "INSERT INTO item VALUES (1, 'a', '007'), (2, 'A', 'x'), (3, 'b', '1e3');"

    private static func rebuild(_ columns: String, _ copy: String, _ more: String = "") -> String {
        "CREATE TABLE new(\(columns));\n\(copy)\n\(more)DROP TABLE item;\nALTER TABLE new RENAME TO item;"
    }

    static let triggers = [
        RemedyCase(
            "that a backfill fires", schema: note, rows: notes,
            "-- drydock: rewrites note.words\nUPDATE note SET words = trim(words)", rule: .valuesChanged,
            says: "note.changed changed in 2 rows: UPDATE in line 2 fires trigger note_changed",
            help: "Drop the trigger before line 2, and create it again after it", line: 2
        ) { "-- drydock: rewrites note.words\n" + $0.proposedSQL },
        RemedyCase(
            "that a copy fires",
            schema: item
                + "CREATE TABLE old(id INTEGER PRIMARY KEY, name TEXT); CREATE TRIGGER aside AFTER INSERT ON old BEGIN DELETE FROM item WHERE id = new.id; END;",
            rows: items,
            "-- drydock: inserts into old\nINSERT INTO old SELECT id, name FROM item WHERE id > 1",
            rule: .rowsLost, says: "INSERT in line 2 fires trigger aside", line: 2
        ) { "-- drydock: inserts into old\n" + $0.proposedSQL },
        RemedyCase(
            "that fires after another one that does nothing",
            schema: note
                + "CREATE TRIGGER calm AFTER UPDATE OF changed ON note BEGIN SELECT 1; END; CREATE TRIGGER \"Also calm\" AFTER UPDATE ON note BEGIN SELECT 1; END;",
            rows: notes, "-- drydock: rewrites note.words\nUPDATE note SET words = trim(words)",
            rule: .valuesChanged, says: "UPDATE in line 2 fires trigger note_changed", line: 2
        ) { "-- drydock: rewrites note.words\n" + $0.proposedSQL },
        RemedyCase(
            "that refuses the rows",
            schema: item
                + "CREATE TRIGGER closed BEFORE UPDATE ON item BEGIN SELECT raise(ABORT, 'item is closed'); END;",
            rows: items, "-- drydock: rewrites item.name\n\nUPDATE item SET name = name || '!'",
            says: "item is closed; UPDATE in line 3 fires trigger closed, and does not fail without", line: 3
        ) { "-- drydock: rewrites item.name\n" + $0.proposedSQL },
    ]

    @Test(arguments: triggers) func aTriggerIsNamed(_ it: RemedyCase) async throws {
        try await it.check()
    }

    /// A table that a trigger fills is no table that the migration inserts into.
    @Test func aTriggerThatWritesALogIsNamed() async throws {
        let finding = try await Scenario(
            Self.item
                + "CREATE TABLE log(what TEXT); CREATE TRIGGER logged AFTER UPDATE ON item BEGIN INSERT INTO log VALUES (new.name); END;",
            rows: Self.items,
            steps: "-- drydock: rewrites item.code\nSELECT 1;\nUPDATE item SET code = code || '-'"
        ).verify().finding(.rowsAdded)
        #expect(finding.message == "3 rows appeared in log: UPDATE in line 3 fires trigger logged")
        #expect(finding.place?.line == 3)
    }

    /// What a trigger writes to other tables would be missing without it.
    @Test func noTriggerIsTakenAwayThatWritesElsewhere() async throws {
        let finding = try await Scenario(
            Self.note
                + "CREATE TABLE log(what TEXT); CREATE TRIGGER both AFTER UPDATE ON note BEGIN UPDATE note SET changed = 'now' WHERE id = new.id; INSERT INTO log VALUES (new.words); END;",
            rows: Self.notes,
            steps:
                "-- drydock: rewrites note.words\n-- drydock: inserts into log\nUPDATE note SET words = trim(words)"
        ).verify().finding(.valuesChanged)
        #expect(finding.message.hasSuffix("UPDATE in line 3 fires triggers both and note_changed"))
        #expect(finding.help.contains("written to log must then be written as well"), "\(finding.help)")
        #expect(!finding.help.contains("DROP TRIGGER"))
    }

    static let statements = [
        RemedyCase(
            "OR REPLACE in a copy", schema: item, rows: items,
            rebuild(
                "id INTEGER PRIMARY KEY, name TEXT UNIQUE COLLATE NOCASE, code TEXT",
                "INSERT OR REPLACE INTO new SELECT * FROM item;"), rule: .rowsLost,
            says: "OR REPLACE in line 2 deletes rows that share a key with another row",
            help: "give them keys of their own", line: 2
        ) { _ in
            rebuild(
                "id INTEGER PRIMARY KEY, name TEXT, code TEXT", "INSERT INTO new SELECT * FROM item;")
        },
        RemedyCase(
            "OR IGNORE in a copy", schema: item, rows: items,
            rebuild(
                "id INTEGER PRIMARY KEY, name TEXT UNIQUE COLLATE NOCASE, code TEXT",
                "INSERT OR IGNORE INTO new SELECT * FROM item;"), rule: .rowsLost,
            says: "OR IGNORE in line 2 silently leaves out the rows that the table refuses", line: 2
        ) { _ in
            rebuild("id INTEGER PRIMARY KEY, name TEXT, code TEXT", "INSERT INTO new SELECT * FROM item;")
        },
        RemedyCase(
            "ON CONFLICT of the new table", schema: item, rows: items,
            rebuild(
                "id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE UNIQUE ON CONFLICT REPLACE, code TEXT",
                "INSERT INTO new SELECT * FROM item;"), rule: .rowsLost,
            says:
                "ON CONFLICT REPLACE of item in line 2 deletes rows that share a key with another row",
            line: 2
        ) { _ in
            rebuild("id INTEGER PRIMARY KEY, name TEXT, code TEXT", "INSERT INTO new SELECT * FROM item;")
        },
        RemedyCase(
            "ON CONFLICT of a column that takes no NULL", schema: item,
            rows: items + "INSERT INTO item(id, name, code) VALUES (99, NULL, 'none');",
            rebuild(
                "id INTEGER PRIMARY KEY, name TEXT NOT NULL ON CONFLICT IGNORE, code TEXT",
                "INSERT INTO new SELECT * FROM item;"), rule: .rowsLost,
            says:
                "ON CONFLICT IGNORE of item in line 2 silently leaves out the rows that the table refuses",
            line: 2
        ) { _ in
            rebuild("id INTEGER PRIMARY KEY, name TEXT, code TEXT", "INSERT INTO new SELECT * FROM item;")
        },
        RemedyCase(
            "a string with the column's name", schema: item, rows: items,
            rebuild(
                "id INTEGER PRIMARY KEY, name TEXT, code TEXT",
                "INSERT INTO new(id, name, code) SELECT id, 'name', code FROM item;"), rule: .valuesChanged,
            says: "the copy in line 2 writes the text 'name' instead of the column name",
            help: "Write the column without the quotes", line: 2
        ) { rebuild("id INTEGER PRIMARY KEY, name TEXT, code TEXT", $0.proposedSQL) },
        RemedyCase(
            "a constant in a copy", schema: item, rows: items,
            rebuild(
                "id INTEGER PRIMARY KEY, code TEXT, name TEXT",
                "INSERT INTO new SELECT id, NULL, name FROM item;"), rule: .valuesChanged,
            says: "the copy in line 2 writes NULL instead of the column code", help: "Write the column",
            line: 2
        ) { rebuild("id INTEGER PRIMARY KEY, code TEXT, name TEXT", $0.proposedSQL) },
        RemedyCase(
            "an UPDATE after the copy", schema: item, rows: items,
            rebuild(
                "id INTEGER PRIMARY KEY, name TEXT, code TEXT", "INSERT INTO new SELECT * FROM item;",
                "UPDATE new SET code = 'none';\n"), rule: .valuesChanged,
            says: "UPDATE in line 3 writes 'none' to every row",
            help: "If only rows without a value are meant",
            line: 3
        ) {
            rebuild(
                "id INTEGER PRIMARY KEY, name TEXT, code TEXT", "INSERT INTO new SELECT * FROM item;",
                $0.proposedSQL)
        },
        RemedyCase(
            "an UPDATE of what the copy leaves out", schema: item, rows: items,
            rebuild(
                "id INTEGER PRIMARY KEY, name TEXT, code TEXT",
                "INSERT INTO new(id, name) SELECT id, name FROM item;", "UPDATE new SET code = 'none';\n"),
            rule: .valuesChanged, says: "UPDATE in line 3 writes 'none' to every row",
            help: "Copy code in line 2 as well", line: 3
        ) { _ in
            rebuild("id INTEGER PRIMARY KEY, name TEXT, code TEXT", "INSERT INTO new SELECT * FROM item;")
        },
        RemedyCase(
            "a type that is not TEXT", schema: item, rows: items,
            rebuild("id INTEGER PRIMARY KEY, name TEXT, code STRING", "INSERT INTO new SELECT * FROM item;"),
            rule: .valuesChanged,
            says:
                "code is declared STRING, which SQLite reads as NUMERIC and so turns text that looks like a number into numbers",
            help: "Declare code TEXT, to keep each value as it is", line: 2
        ) { _ in
            rebuild("id INTEGER PRIMARY KEY, name TEXT, code TEXT", "INSERT INTO new SELECT * FROM item;")
        },
    ]

    @Test(arguments: statements) func aStatementIsNamed(_ it: RemedyCase) async throws {
        try await it.check()
    }

    static let refusals = [
        RemedyCase(
            "CREATE TABLE IF NOT EXISTS of a table that is there", schema: item, rows: items,
            "CREATE TABLE IF NOT EXISTS item(id INTEGER PRIMARY KEY, name TEXT, place TEXT);\nCREATE INDEX by_place ON item(place);",
            says:
                "no such column: place; CREATE TABLE IF NOT EXISTS item in line 1 did nothing, since item already existed, without place",
            help: "Add place with ALTER TABLE item ADD COLUMN", line: 2
        ) { _ in "ALTER TABLE item ADD COLUMN place TEXT;\nCREATE INDEX by_place ON item(place);" },
        RemedyCase(
            "CREATE INDEX IF NOT EXISTS of an index on something else",
            schema: item + "CREATE INDEX once ON item(code);", rows: items,
            "CREATE UNIQUE INDEX IF NOT EXISTS once ON item(name);\n-- drydock: inserts into item\nINSERT INTO item(name) VALUES ('z') ON CONFLICT (name) DO NOTHING;",
            says:
                "CREATE INDEX IF NOT EXISTS once in line 1 did nothing, since once already existed, with a different definition",
            help: "Drop the index once before it is created", line: 3
        ) { _ in
            "DROP INDEX once;\nCREATE UNIQUE INDEX IF NOT EXISTS once ON item(name);\n-- drydock: inserts into item\nINSERT INTO item(name) VALUES ('z') ON CONFLICT (name) DO NOTHING;"
        },
        RemedyCase(
            "an action of a foreign key on a generated column",
            schema:
                "CREATE TABLE kind(id INTEGER PRIMARY KEY); CREATE TABLE part(id INTEGER PRIMARY KEY, raw INT, kind AS (raw) REFERENCES kind(id) ON DELETE SET NULL);",
            rows: "INSERT INTO kind VALUES (1), (2); INSERT INTO part(id, raw) VALUES (1, 1);",
            "-- drydock: foreign-keys immediate\n-- drydock: deletes from kind where id = 1\nDELETE FROM kind WHERE id = 1",
            says:
                "cannot UPDATE generated column \"kind\"; the foreign key of part.kind to kind says ON DELETE SET NULL, but the column is generated",
            help: "Rebuild part with the foreign key on a stored column"
        ) { _ in
            "-- drydock: foreign-keys immediate\n-- drydock: rewrites part.kind\n-- drydock: deletes from kind where id = 1\nCREATE TABLE new(id INTEGER PRIMARY KEY, raw INT, kind INT REFERENCES kind(id) ON DELETE SET NULL);\nINSERT INTO new SELECT id, raw, kind FROM part;\nDROP TABLE part;\nALTER TABLE new RENAME TO part;\nDELETE FROM kind WHERE id = 1;"
        },
    ]

    @Test(arguments: refusals) func aRefusalHasItsCause(_ it: RemedyCase) async throws {
        try await it.check()
    }

    /// The snapshot has a table that a person made, and a fresh install the migration's.
    @Test func aTableThatWasThereIsNamed() async throws {
        var scenario = Scenario(
            "CREATE TABLE a(x);", steps: "SELECT 1;\nCREATE TABLE IF NOT EXISTS session(id, ip);")
        scenario.schemaEdit = "CREATE TABLE session(id);"
        let finding = try await scenario.verify().finding(.schemaMismatch)
        #expect(
            finding.message.hasSuffix(
                "CREATE TABLE IF NOT EXISTS session in line 2 did nothing, since session already existed, without ip"
            ),
            "\(finding.message)")
        #expect(finding.place?.line == 2 && finding.migration == "v2")
    }
}
