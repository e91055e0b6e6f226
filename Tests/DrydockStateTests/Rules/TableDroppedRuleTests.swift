import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct TableDroppedRuleTests {
    @Test(arguments: [
        RuleCase("with rows", "DROP TABLE log", errors: [.tableDropped]),
        RuleCase("without rows, a warning", "DROP TABLE blank", warnings: [.tableDropped]),
        RuleCase("declared", "-- drydock: drops table log\nDROP TABLE log"),
        RuleCase(
            "a list is declared",
            "-- drydock: drops table log, \"setting\"\nDROP TABLE log; DROP TABLE setting"),
        RuleCase(
            "a different one is declared", "-- drydock: drops table log\nDROP TABLE setting",
            errors: [.tableDropped], warnings: [.unusedDeclaration]),
        RuleCase(
            "its rows may go, the table may not", "-- drydock: deletes from log\nDROP TABLE log",
            errors: [.tableDropped]),
        RuleCase("renamed by ALTER", "ALTER TABLE setting RENAME TO preference"),
        RuleCase(
            "created again under another name, undeclared",
            "CREATE TABLE journal(at TEXT, line); INSERT INTO journal SELECT * FROM log; DROP TABLE log",
            notes: [.tableDropped]),
        RuleCase(
            "created again under another name, a row short",
            "CREATE TABLE journal(at TEXT, line); INSERT INTO journal SELECT * FROM log LIMIT 5; DROP TABLE log",
            errors: [.tableDropped]),
        RuleCase(
            "created again under another name, declared",
            """
            -- drydock: renames table log to journal
            CREATE TABLE journal(at TEXT, line); INSERT INTO journal SELECT * FROM log; DROP TABLE log
            """),
        RuleCase(
            "a declared rename must keep its rows",
            """
            -- drydock: renames table log to journal
            CREATE TABLE journal(at TEXT, line); INSERT INTO journal SELECT * FROM log LIMIT 3; DROP TABLE log
            """, errors: [.rowsLost]),
        RuleCase(
            "created again under its own name",
            "CREATE TABLE new(at TEXT, line); INSERT INTO new SELECT * FROM log; DROP TABLE log; ALTER TABLE new RENAME TO log"
        ),
        RuleCase(
            "renamed to a backup, created again and filled",
            "ALTER TABLE log RENAME TO old_log; CREATE TABLE log(at TEXT, line); INSERT INTO log SELECT * FROM old_log"
        ),
        RuleCase(
            "renamed to a backup and created again without rows",
            "ALTER TABLE log RENAME TO old_log; CREATE TABLE log(at TEXT, line)", notes: [.tableDropped]),
        RuleCase(
            "renamed, and its name given to another table",
            "ALTER TABLE log RENAME TO journal; CREATE TABLE \"Log\"(k TEXT PRIMARY KEY, w) WITHOUT ROWID",
            notes: [.tableDropped]),
        RuleCase(
            "renamed as declared, and its name given to another table",
            "-- drydock: renames table log to journal\nALTER TABLE log RENAME TO journal; CREATE TABLE log(k)"
        ),
        RuleCase(
            "renamed as declared, and its name given to a table with some of its rows",
            """
            -- drydock: renames table log to journal
            ALTER TABLE log RENAME TO journal; CREATE TABLE log(at, line); INSERT INTO log SELECT * FROM journal LIMIT 1
            """),
        RuleCase(
            "renamed twice, and its name given to a table with rows of its own",
            """
            ALTER TABLE log RENAME TO x; CREATE TABLE log(k); INSERT INTO log VALUES (1), (2);
            ALTER TABLE x RENAME TO journal
            """, notes: [.tableDropped]),
        RuleCase(
            "renamed, and a rebuild of it has its name",
            """
            ALTER TABLE log RENAME TO journal; CREATE TABLE new(k); INSERT INTO new VALUES (1);
            ALTER TABLE new RENAME TO log
            """, notes: [.tableDropped]),
        RuleCase(
            "with its index, trigger and AUTOINCREMENT mark, renamed, and its name given to another table",
            "ALTER TABLE n RENAME TO m; CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT, w TEXT)",
            schema:
                """
                CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT, x); CREATE INDEX ix ON n(x); CREATE TABLE log(x);
                CREATE TRIGGER tr AFTER DELETE ON n BEGIN INSERT INTO log VALUES (old.x); END;
                """, rows: "INSERT INTO n VALUES (7, 'a');", notes: [.tableDropped]),
        RuleCase(
            "without rows, renamed, and its name given to another table",
            "ALTER TABLE blank RENAME TO form; CREATE TABLE blank(k TEXT)", notes: [.tableDropped]),
        RuleCase(
            "renamed, created again, half of it copied, and dropped",
            """
            ALTER TABLE log RENAME TO old_log; CREATE TABLE log(at TEXT, line);
            INSERT INTO log SELECT * FROM old_log LIMIT 3; DROP TABLE old_log
            """, errors: [.rowsLost]),
        RuleCase(
            "renamed, created again, half of it copied, and kept",
            """
            ALTER TABLE log RENAME TO old_log; CREATE TABLE log(at TEXT, line);
            INSERT INTO log SELECT * FROM old_log LIMIT 3
            """, errors: [.rowsLost]),
        RuleCase(
            "renamed, created again, half of it copied through a table made before, and kept",
            "CREATE TABLE part AS SELECT * FROM log LIMIT 3",
            "ALTER TABLE log RENAME TO old_log; CREATE TABLE log(at TEXT, line); INSERT INTO log SELECT * FROM part",
            errors: [.rowsLost]),
        RuleCase(
            "renamed, its name given to another table, and changed",
            "ALTER TABLE log RENAME TO journal; CREATE TABLE log(k); DELETE FROM journal WHERE at = '2'",
            errors: [.rowsLost], notes: [.tableDropped]),
        RuleCase(
            "renamed, its name given to another table, and dropped by the next step",
            "ALTER TABLE log RENAME TO journal; CREATE TABLE log(k)", "DROP TABLE journal",
            errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "renamed, created again, and filled by the next step, which drops it",
            "ALTER TABLE log RENAME TO old_log; CREATE TABLE log(at TEXT, line)",
            "INSERT INTO log SELECT * FROM old_log; DROP TABLE old_log",
            notes: [.rowsAdded, .tableDropped, .tableDropped]),
        RuleCase(
            "renamed, created again, and half filled by the next step, which drops it",
            "ALTER TABLE log RENAME TO old_log; CREATE TABLE log(at TEXT, line)",
            "INSERT INTO log SELECT * FROM old_log LIMIT 3; DROP TABLE old_log",
            errors: [.tableDropped], notes: [.rowsAdded, .tableDropped]),
        RuleCase(
            "dropped and created again without rows", "DROP TABLE log; CREATE TABLE log(at TEXT, line)",
            errors: [.rowsLost]),
        RuleCase(
            "dropped, and created again by a later step", "DROP TABLE log", "CREATE TABLE log(at TEXT, line)",
            errors: [.tableDropped]),
        RuleCase(
            "made and dropped in one step", "CREATE TABLE new(a); INSERT INTO new VALUES (1); DROP TABLE new"),
        RuleCase(
            "made in one step and dropped with its rows in the next",
            "CREATE TABLE new(a); INSERT INTO new VALUES (1)", "DROP TABLE new", errors: [.tableDropped]),
        RuleCase(
            "an index table that holds no content of its own", "DROP TABLE note_fts",
            schema:
                "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT); CREATE VIRTUAL TABLE note_fts USING fts5(body, content='note', content_rowid='id');",
            rows: "INSERT INTO note VALUES (1, 'a'); INSERT INTO note_fts(note_fts) VALUES ('rebuild');",
            warnings: [.tableDropped]),
        RuleCase(
            "a full-text table that holds its content", "DROP TABLE note",
            schema: "CREATE VIRTUAL TABLE note USING fts5(body);", rows: "INSERT INTO note VALUES ('a');",
            errors: [.tableDropped]),
        RuleCase(
            "a temporary table of the same name is a different table",
            "CREATE TEMP TABLE log(x); DROP TABLE temp.log"),
    ])
    func tables(_ it: RuleCase) async throws { try await it.check() }

    @Test func theNoteNamesTheNewName() async throws {
        let report = try await Scenario(
            Mail.schema, rows: Mail.rows, steps: "ALTER TABLE log RENAME TO journal;\nCREATE TABLE log(k);"
        ).verify()
        let finding = try report.finding(.tableDropped)
        #expect(
            finding.message == "table log is now journal, with its rows; the new table log has none of them")
        #expect(finding.place?.line == 2)
    }

    @Test func theFindingPointsAtTheStatement() async throws {
        let report = try await Scenario(Mail.schema, rows: Mail.rows, steps: "SELECT 1;\n  DROP TABLE log;")
            .verify()
        let finding = try report.finding(.tableDropped)
        #expect(finding.message == "table log is gone, with its 6 rows")
        #expect((finding.place?.line, finding.place?.column) == (2, 3))
        #expect(finding.table == "log")
        #expect(finding.evidence?.rowCount == 6)
        #expect(finding.help.contains("-- drydock: drops table log"))
    }
}
