import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct ObjectLostRuleTests {
    private static let dependents =
        "CREATE INDEX n_a ON n(a) WHERE b > 0; CREATE TRIGGER n_t AFTER DELETE ON n BEGIN SELECT old.a; END;"
    private static let kept = "CREATE TABLE n(id INTEGER PRIMARY KEY, a, b); " + dependents
    private static let row = "INSERT INTO n VALUES (1, 'x', 2);"
    private static let copy =
        "CREATE TABLE new(id INTEGER PRIMARY KEY, a, b); INSERT INTO new SELECT * FROM n; "

    private static let renamedTrigger =
        "CREATE TRIGGER trg_email_gone AFTER DELETE ON email BEGIN SELECT old.id; END;"
    private static let plainN = "CREATE TABLE n(a TEXT, b INT); "
    private static let copyN = "CREATE TABLE new(a TEXT, b INT); INSERT INTO new SELECT * FROM n; "
    private static let rebuiltN = copyN + "DROP TABLE n; ALTER TABLE new RENAME TO n; "

    @Test(arguments: [
        RuleCase("a rebuild that creates everything again", Mail.rebuild()),
        RuleCase("a rebuild that forgets the index", Mail.rebuild(indexes: ""), errors: [.objectLost]),
        RuleCase("a rebuild that forgets the trigger", Mail.rebuild(triggers: ""), errors: [.objectLost]),
        RuleCase(
            "a rebuild that forgets both", Mail.rebuild(indexes: "", triggers: ""),
            errors: [.objectLost, .objectLost]),
        RuleCase("dropped by name", "DROP INDEX email_on_account; DROP TRIGGER email_gone; DROP VIEW inbox"),
        RuleCase(
            "declared",
            "-- drydock: drops index EMAIL_on_account\n-- drydock: drops trigger email_gone\n"
                + Mail.rebuild(indexes: "", triggers: "")),
        RuleCase(
            "another kind is declared",
            "-- drydock: drops trigger email_gone\n" + Mail.rebuild(indexes: ""), errors: [.objectLost],
            warnings: [.unusedDeclaration]),
        RuleCase(
            "dropped by name before the rebuild", "DROP INDEX email_on_account; " + Mail.rebuild(indexes: "")),
        RuleCase("dropped by name in another case and quoted", "DROP INDEX main.\"Email_On_Account\""),
        RuleCase(
            "the same definition under another name",
            Mail.rebuild(indexes: "CREATE INDEX email_by_account ON email(account_id, received_at);")),
        RuleCase(
            "the same trigger under another name",
            Mail.rebuild(triggers: renamedTrigger), warnings: [.objectLost]),
        RuleCase(
            "the same trigger under another name, dropped by name first",
            "DROP TRIGGER email_gone;\n" + Mail.rebuild(triggers: renamedTrigger)),
        RuleCase(
            "the same trigger under another name, declared",
            "-- drydock: drops trigger email_gone\n" + Mail.rebuild(triggers: renamedTrigger)),
        RuleCase(
            "the same trigger under another name, and under its own later",
            Mail.rebuild(triggers: renamedTrigger),
            "DROP TRIGGER trg_email_gone; " + Mail.emailTriggers, notes: [.objectLost]),
        RuleCase(
            "repaired by a later step under another name",
            Mail.rebuild(triggers: ""), renamedTrigger, warnings: [.objectLost]),
        RuleCase(
            "another definition under the same name",
            Mail.rebuild(indexes: "CREATE INDEX email_on_account ON email(account_id);"),
            warnings: [.objectLost]),
        RuleCase(
            "another definition under the same name, dropped by name first",
            "DROP INDEX email_on_account;\n"
                + Mail.rebuild(indexes: "CREATE INDEX email_on_account ON email(account_id);")),
        RuleCase(
            "another definition under the same name, without a rebuild",
            "DROP INDEX email_on_account; CREATE INDEX email_on_account ON email(account_id);"),
        RuleCase(
            "unique as well under the same name", rebuiltN + "CREATE UNIQUE INDEX n_a ON n(a)",
            schema: plainN + "CREATE INDEX n_a ON n(a);"),
        RuleCase(
            "no longer unique under the same name", rebuiltN + "CREATE INDEX n_a ON n(a)",
            schema: plainN + "CREATE UNIQUE INDEX n_a ON n(a);", warnings: [.objectLost]),
        RuleCase(
            "no longer unique, but beside a constraint that is",
            "CREATE TABLE new(a TEXT UNIQUE, b INT); INSERT INTO new SELECT * FROM n; DROP TABLE n; "
                + "ALTER TABLE new RENAME TO n; CREATE INDEX n_a ON n(a)",
            schema: plainN + "CREATE UNIQUE INDEX n_a ON n(a);"),
        RuleCase(
            "without its dropped column under the same name",
            """
            -- drydock: drops column n.b
            CREATE TABLE new(a TEXT); INSERT INTO new SELECT a FROM n; DROP TABLE n; ALTER TABLE new RENAME TO n;
            CREATE INDEX n_a ON n(a)
            """, schema: plainN + "CREATE INDEX n_a ON n(a, b);", rows: "INSERT INTO n VALUES ('x', 1);"),
        RuleCase(
            "not repaired by a later step that creates a different one of its name",
            Mail.rebuild(indexes: ""), "CREATE INDEX email_on_account ON email(account_id);",
            errors: [.objectLost]),
        RuleCase(
            "in other words under the same name",
            rebuiltN + "CREATE UNIQUE INDEX [N_A] ON \"n\" (\"A\" ASC) WHERE [b] > 0x1",
            schema: plainN + "CREATE UNIQUE INDEX n_a ON n(a) WHERE b > 0x1;"),
        RuleCase(
            "a trigger on another event under the same name",
            rebuiltN + "CREATE TRIGGER n_t AFTER DELETE ON n BEGIN SELECT old.a; END",
            schema: plainN + "CREATE TRIGGER n_t AFTER INSERT ON n BEGIN SELECT new.a; END;",
            warnings: [.objectLost]),
        RuleCase(
            "a trigger with other statements in a later step", rebuiltN,
            "CREATE TRIGGER n_t AFTER INSERT ON n BEGIN SELECT new.b; END",
            schema: plainN + "CREATE TRIGGER n_t AFTER INSERT ON n BEGIN SELECT new.a; END;",
            errors: [.objectLost]),
        RuleCase(
            "a trigger that is written for a new column",
            """
            CREATE TABLE new(a TEXT, b INT, c); INSERT INTO new(a, b) SELECT * FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n; CREATE TRIGGER n_t AFTER INSERT ON n BEGIN SELECT new.a, new.c; END
            """, schema: plainN + "CREATE TRIGGER n_t AFTER INSERT ON n BEGIN SELECT new.a; END;"),
        RuleCase(
            "created in a later step without UNIQUE", copyN, "DROP TABLE n", "ALTER TABLE new RENAME TO n",
            "CREATE INDEX n_a ON n(a)", schema: plainN + "CREATE UNIQUE INDEX n_a ON n(a);",
            rows: "INSERT INTO n VALUES ('x', 1);", warnings: [.objectLost], notes: [.tableDropped]),
        RuleCase(
            "another definition under another name",
            Mail.rebuild(indexes: "CREATE INDEX email_by_account ON email(account_id);"),
            errors: [.objectLost]),
        RuleCase(
            "the same meaning in different words under another name",
            """
            CREATE TABLE new(a TEXT COLLATE NOCASE, b INT); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n; CREATE INDEX other ON n("a" COLLATE nocase ASC, b) WHERE "b" > 0X0a
            """,
            schema:
                "CREATE TABLE n(a TEXT COLLATE NOCASE, b INT); CREATE INDEX n_a ON n(a, b) WHERE b > 0x0A;"),
        RuleCase(
            "another collation under another name",
            """
            CREATE TABLE new(a TEXT COLLATE NOCASE, b INT); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n; CREATE INDEX other ON n(a COLLATE BINARY)
            """,
            schema: "CREATE TABLE n(a TEXT COLLATE NOCASE, b INT); CREATE INDEX n_a ON n(a);",
            errors: [.objectLost]),
        RuleCase(
            "a unique index that became a constraint",
            """
            CREATE TABLE new(a TEXT COLLATE NOCASE UNIQUE, b INT); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n
            """,
            schema: "CREATE TABLE n(a TEXT, b INT); CREATE UNIQUE INDEX n_a ON n(a COLLATE NOCASE);"),
        RuleCase(
            "a unique index that became a constraint under another collation",
            """
            CREATE TABLE new(a TEXT UNIQUE, b INT); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n
            """,
            schema: "CREATE TABLE n(a TEXT, b INT); CREATE UNIQUE INDEX n_a ON n(a COLLATE NOCASE);",
            errors: [.objectLost]),
        RuleCase(
            "a unique index that became the primary key",
            """
            CREATE TABLE new(a INTEGER PRIMARY KEY, b INT); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n
            """,
            schema: "CREATE TABLE n(a INTEGER, b INT); CREATE UNIQUE INDEX n_a ON n(a);"),
        RuleCase(
            "an index with which the primary key begins",
            """
            CREATE TABLE new(a TEXT, b INT, PRIMARY KEY(a, b)) WITHOUT ROWID; INSERT INTO new SELECT a, b FROM n;
            DROP TABLE n; ALTER TABLE new RENAME TO n
            """,
            schema: "CREATE TABLE n(a TEXT, b INT); CREATE INDEX n_a ON n(a);"),
        RuleCase(
            "a unique index with which the primary key only begins",
            """
            CREATE TABLE new(a TEXT, b INT, PRIMARY KEY(a, b)); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n
            """,
            schema: "CREATE TABLE n(a TEXT, b INT); CREATE UNIQUE INDEX n_a ON n(a);", errors: [.objectLost]),
        RuleCase(
            "an index whose columns the key has the other way round",
            """
            CREATE TABLE new(a TEXT, b INT, UNIQUE(b, a)); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n
            """,
            schema: "CREATE TABLE n(a TEXT, b INT); CREATE INDEX n_a ON n(a, b);", errors: [.objectLost]),
        RuleCase(
            "an index with two directions, unlike the key",
            """
            CREATE TABLE new(a TEXT, b INT, UNIQUE(a, b)); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n
            """,
            schema: "CREATE TABLE n(a TEXT, b INT); CREATE INDEX n_a ON n(a, b DESC);", errors: [.objectLost]),
        RuleCase(
            "a plain index that became a constraint",
            """
            CREATE TABLE new(a TEXT UNIQUE, b INT); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n
            """,
            schema: "CREATE TABLE n(a TEXT, b INT); CREATE INDEX n_a ON n(a);"),
        RuleCase(
            "a unique index without rows of NULL that became a constraint",
            """
            CREATE TABLE new(a TEXT UNIQUE, b INT); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n
            """,
            schema: "CREATE TABLE n(a TEXT, b INT); CREATE UNIQUE INDEX n_a ON n(a) WHERE a IS NOT NULL;"),
        RuleCase(
            "a constraint that became a unique index without rows of NULL",
            """
            CREATE TABLE new(a TEXT, b INT); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n; CREATE UNIQUE INDEX n_a ON n(a) WHERE a IS NOT NULL
            """,
            schema: "CREATE TABLE n(a TEXT UNIQUE, b INT);"),
        RuleCase(
            "a partial index is not a constraint",
            """
            CREATE TABLE new(a TEXT UNIQUE, b INT); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n
            """,
            schema: "CREATE TABLE n(a TEXT, b INT); CREATE INDEX n_a ON n(a) WHERE b > 0;",
            errors: [.objectLost]),
        RuleCase(
            "its column has another name after the rebuild",
            """
            -- drydock: renames column n.a to n.z
            CREATE TABLE new(z TEXT, b INT); INSERT INTO new SELECT a, b FROM n; DROP TABLE n;
            ALTER TABLE new RENAME TO n; CREATE INDEX n_z ON n(z)
            """,
            schema: "CREATE TABLE n(a TEXT, b INT); CREATE INDEX n_a ON n(a);",
            rows: "INSERT INTO n VALUES ('x', 1);"),
        RuleCase(
            "other blanks, case and quotes under another name",
            Mail.rebuild(
                indexes: "create index \"email_by_account\" on [email] ( \"account_id\" ,received_at ) ;")),
        RuleCase(
            "repaired by a later step, a warning", Mail.rebuild(indexes: ""), Mail.emailIndexes,
            warnings: [.objectLost]),
        RuleCase(
            "repaired by a later step under another name", Mail.rebuild(indexes: ""),
            "CREATE INDEX email_by_account ON email(account_id, received_at);", warnings: [.objectLost]),
        RuleCase(
            "not repaired by a later step that creates a different one", Mail.rebuild(indexes: ""),
            "CREATE INDEX email_on_sender ON email(sender);", errors: [.objectLost]),
        RuleCase(
            "repaired where the table is dropped, declared", Mail.rebuild(triggers: ""),
            "-- drydock: drops table email\nDROP VIEW inbox; DROP TABLE email", warnings: [.objectLost]),
        RuleCase(
            "its table was dropped, declared", "-- drydock: drops table n\nDROP TABLE n",
            schema:
                "CREATE TABLE n(a, b); CREATE INDEX n_a ON n(a); CREATE TRIGGER n_t AFTER INSERT ON n BEGIN SELECT 1; END;",
            rows: "INSERT INTO n VALUES (1, 2);"),
        RuleCase(
            "its column was dropped, declared",
            """
            -- drydock: drops column n.a
            CREATE TABLE new(b); INSERT INTO new SELECT b FROM n; DROP TABLE n; ALTER TABLE new RENAME TO n
            """,
            schema: "CREATE TABLE n(a, b); CREATE INDEX n_a ON n(a);", rows: "INSERT INTO n VALUES (1, 2);"),
        RuleCase(
            "another column was dropped, declared",
            """
            -- drydock: drops column n.a
            CREATE TABLE new(b); INSERT INTO new SELECT b FROM n; DROP TABLE n; ALTER TABLE new RENAME TO n
            """,
            schema: "CREATE TABLE n(a, b); CREATE INDEX n_b ON n(b);", rows: "INSERT INTO n VALUES (1, 2);",
            errors: [.objectLost]),
        RuleCase(
            "its table was renamed", "ALTER TABLE n RENAME TO m",
            schema:
                "CREATE TABLE n(a, b); CREATE INDEX n_b ON n(b); CREATE TRIGGER n_t AFTER INSERT ON n BEGIN SELECT 1; END;"
        ),
        RuleCase(
            "its column was renamed", "ALTER TABLE n RENAME b TO c",
            schema:
                "CREATE TABLE n(a, b); CREATE INDEX n_b ON n(b); CREATE TRIGGER n_t AFTER UPDATE OF b ON n BEGIN SELECT new.b; END;"
        ),
        RuleCase(
            "an index that SQLite makes itself is part of its table",
            """
            CREATE TABLE new(id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT);
            INSERT INTO new SELECT * FROM n; DROP TABLE n; ALTER TABLE new RENAME TO n
            """, schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT);",
            warnings: [.constraintLost]),
        RuleCase(
            "copied, dropped and renamed in a step each", copy, "DROP TABLE n", "ALTER TABLE new RENAME TO n",
            schema: kept, rows: row, errors: [.objectLost, .objectLost], notes: [.tableDropped]),
        RuleCase(
            "copied and dropped in one step, renamed in the next", copy + "DROP TABLE n",
            "ALTER TABLE new RENAME TO n", schema: kept, rows: row, errors: [.objectLost, .objectLost],
            notes: [.tableDropped]),
        RuleCase(
            "created again in a later step", copy, "DROP TABLE n", "ALTER TABLE new RENAME TO n", dependents,
            schema: kept, rows: row, notes: [.tableDropped]),
        RuleCase(
            "created on the copy before the table was dropped",
            copy
                + "CREATE INDEX new_a ON new(a) WHERE b > 0; CREATE TRIGGER new_t AFTER DELETE ON new BEGIN SELECT old.a; END",
            "DROP TABLE n", "ALTER TABLE new RENAME TO n", schema: kept, rows: row, notes: [.tableDropped]),
        RuleCase(
            "created again in a later step, but for other rows", copy, "DROP TABLE n",
            "ALTER TABLE new RENAME TO n",
            "CREATE INDEX other ON n(a); CREATE TRIGGER n_t AFTER DELETE ON n BEGIN SELECT old.a; END",
            schema: kept, rows: row, errors: [.objectLost], notes: [.tableDropped]),
        RuleCase(
            "copied under another name and dropped", copy + "DROP TABLE n", schema: kept, rows: row,
            errors: [.objectLost, .objectLost], notes: [.tableDropped]),
        RuleCase(
            "dropped by name before the table", copy, "DROP INDEX n_a; DROP TRIGGER n_t; DROP TABLE n",
            "ALTER TABLE new RENAME TO n", schema: kept, rows: row, notes: [.tableDropped]),
        RuleCase(
            "declared where the table is dropped", copy,
            "-- drydock: drops index n_a\n-- drydock: drops trigger n_t\nDROP TABLE n",
            "ALTER TABLE new RENAME TO n", schema: kept, rows: row, notes: [.tableDropped]),
        RuleCase(
            "copied to an archive and dropped, declared",
            "-- drydock: drops table n\n" + copy + "DROP TABLE n",
            schema: kept, rows: row),
        RuleCase(
            "renamed away, and created again in the next step", "ALTER TABLE n RENAME TO old",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, a, b); INSERT INTO n SELECT * FROM old", schema: kept,
            rows: row, errors: [.objectLost, .objectLost]),
        RuleCase(
            "renamed away, created again and dropped in a step each", "ALTER TABLE n RENAME TO old",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, a, b)", "INSERT INTO n SELECT * FROM old",
            "DROP TABLE old",
            schema: kept, rows: row, errors: [.objectLost, .objectLost], notes: [.rowsAdded, .tableDropped]),
        RuleCase(
            "renamed away, created again, and its objects in a later step", "ALTER TABLE n RENAME TO old",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, a, b); INSERT INTO n SELECT * FROM old", "DROP TABLE old",
            dependents, schema: kept, rows: row, notes: [.tableDropped]),
        RuleCase(
            "renamed away, created again with its objects under other names", "ALTER TABLE n RENAME TO old",
            """
            CREATE TABLE n(id INTEGER PRIMARY KEY, a, b); INSERT INTO n SELECT * FROM old;
            CREATE INDEX other ON n(a) WHERE b > 0; CREATE TRIGGER other_t AFTER DELETE ON n BEGIN SELECT old.a; END
            """, schema: kept, rows: row),
        RuleCase(
            "swapped with its copy by renaming", copy, "ALTER TABLE n RENAME TO old",
            "ALTER TABLE new RENAME TO n", schema: kept, rows: row, errors: [.objectLost, .objectLost]),
        RuleCase(
            "copied with other column names",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, x, y); INSERT INTO new SELECT id, a, b FROM n",
            "DROP TABLE n", "ALTER TABLE new RENAME TO n; CREATE INDEX new_x ON n(x) WHERE y > 0",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, a, b); CREATE INDEX n_a ON n(a) WHERE b > 0;",
            rows: row,
            notes: [.tableDropped]),
        RuleCase(
            "a table without rows, in a step each", copy, "DROP TABLE n", "ALTER TABLE new RENAME TO n",
            schema: kept, errors: [.objectLost, .objectLost], warnings: [.tableDropped]),
        RuleCase(
            "a backup made before, with its own index", "CREATE TABLE backup AS SELECT * FROM n",
            "CREATE INDEX b_id ON backup(id)", "DELETE FROM n; INSERT INTO n SELECT * FROM backup",
            "DROP TABLE backup",
            schema: kept, rows: row, notes: [.tableDropped]),
        RuleCase(
            "copied to a backup as well",
            "CREATE TABLE backup AS SELECT * FROM n; " + copy
                + "DROP INDEX n_a; DROP TRIGGER n_t; CREATE INDEX n_a ON new(a) WHERE b > 0; CREATE TRIGGER n_t AFTER DELETE ON new BEGIN SELECT old.a; END",
            "DROP TABLE n", "ALTER TABLE new RENAME TO n", schema: kept, rows: row, notes: [.tableDropped]),
        RuleCase(
            "copied to a backup as well, which is dropped last",
            "CREATE TABLE backup AS SELECT * FROM n; " + copy, "DROP TABLE n", "ALTER TABLE new RENAME TO n",
            "DROP TABLE backup", schema: kept, rows: row, errors: [.objectLost, .objectLost],
            notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "put together with another table, a warning",
            """
            CREATE TABLE new(id INTEGER PRIMARY KEY, a, b); INSERT INTO new SELECT * FROM n;
            INSERT INTO new SELECT * FROM other; DROP TABLE n
            """, schema: kept + "CREATE TABLE other(id, a, b);",
            rows: row + "INSERT INTO other VALUES (2, 1, 1);",
            warnings: [.objectLost, .objectLost], notes: [.tableDropped]),
        RuleCase(
            "a trigger that writes to a log", copy + "DROP TABLE n",
            schema: """
                CREATE TABLE n(id INTEGER PRIMARY KEY, a, b); CREATE INDEX n_a ON n(a); CREATE TABLE log(x);
                CREATE TRIGGER t AFTER INSERT ON n BEGIN INSERT INTO log VALUES (new.id); END;
                """, rows: row, errors: [.objectLost, .objectLost], notes: [.tableDropped]),
        RuleCase(
            "kept in step with its copy by triggers",
            copy
                + "CREATE TRIGGER sync AFTER INSERT ON n BEGIN INSERT INTO new VALUES (new.id, new.a, new.b); END;",
            "DROP TRIGGER sync; DROP TABLE n", "ALTER TABLE new RENAME TO n", schema: kept, rows: row,
            errors: [.objectLost, .objectLost], notes: [.tableDropped]),
        RuleCase(
            "a table dropped as declared whose copy takes its name", copy,
            "-- drydock: drops table n\nDROP TABLE n", "ALTER TABLE new RENAME TO n", schema: kept, rows: row,
            errors: [.objectLost, .objectLost]),
        RuleCase(
            "a table dropped as declared whose copy keeps another name", copy,
            "-- drydock: drops table n\nDROP TABLE n", "ALTER TABLE new RENAME TO other", schema: kept,
            rows: row),
        RuleCase(
            "a second rebuild under the same working name",
            copy + "DROP TABLE n; ALTER TABLE new RENAME TO n; " + dependents,
            copy, "DROP TABLE n", "ALTER TABLE new RENAME TO n; " + dependents, schema: kept, rows: row,
            notes: [.tableDropped]),
        RuleCase(
            "two rebuilds under the same working name, in a step each", copy, "DROP TABLE n",
            "ALTER TABLE new RENAME TO n; " + dependents, copy, "DROP TABLE n",
            "ALTER TABLE new RENAME TO n; " + dependents, schema: kept, rows: row,
            notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "two rebuilds that rename away, in a step each", "ALTER TABLE n RENAME TO old",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, a, b); INSERT INTO n SELECT * FROM old", "DROP TABLE old",
            dependents, "ALTER TABLE n RENAME TO old",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, a, b); INSERT INTO n SELECT * FROM old", "DROP TABLE old",
            dependents, schema: kept, rows: row, notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "an unrelated table takes the old name later", "ALTER TABLE n RENAME TO old",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, c)", schema: kept, rows: row),
    ])
    func objects(_ it: RuleCase) async throws { try await it.check() }

    @Test(arguments: [
        RuleCase(
            "a view that vanished from the schema",
            "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'inbox'",
            errors: [.objectLost]),
        RuleCase(
            "a view that was created again without its trigger",
            "DROP VIEW v; CREATE VIEW v AS SELECT a FROM n",
            schema: """
                CREATE TABLE n(a); CREATE VIEW v AS SELECT a FROM n;
                CREATE TRIGGER v_insert INSTEAD OF INSERT ON v BEGIN INSERT INTO n VALUES (new.a); END;
                """, errors: [.objectLost]),
    ])
    func viewsAndTheirTriggers(_ it: RuleCase) async throws {
        try await it.check()
    }

    @Test func theFindingShowsHowToRecreateTheObject() async throws {
        let report = try await Scenario(Mail.schema, rows: Mail.rows, steps: Mail.rebuild(indexes: ""))
            .verify()
        let finding = try report.finding(.objectLost)
        #expect(finding.message == "index email_on_account of email is gone")
        #expect(finding.place?.statement == "DROP TABLE email")
        #expect(finding.help.contains("CREATE INDEX email_on_account ON email"))
        #expect(finding.help.contains("DROP INDEX email_on_account;"))
        #expect(finding.help.contains("-- drydock: drops index email_on_account"))
    }

    @Test func whatDiffersIsSaid() async throws {
        let schema = Self.plainN + "CREATE UNIQUE INDEX n_a ON n(a);"
        let different = "CREATE INDEX n_a ON n(a, b) WHERE a > 'x'"
        let report = try await Scenario(schema, rows: "", steps: Self.rebuiltN + different).verify()
        let finding = try report.finding(.objectLost)
        #expect(
            finding.message
                == "index n_a of n has changed: it is no longer UNIQUE, and accepts duplicates that it refused before; "
                + "columns: (a) -> (a, b); WHERE: none -> a > 'x'")
        #expect(finding.place?.statement == different)
        #expect(finding.proposedSQL == "CREATE UNIQUE INDEX n_a ON n(a);\nDROP INDEX n_a;\n")
        for remedy in ["DROP INDEX n_a;", finding.proposedDeclarations] {
            let second = try await Scenario(schema, rows: "", steps: remedy + Self.rebuiltN + different)
                .verify()
            #expect(second.findings.isEmpty, "\(second.findings.map(\.line))")
        }
        let late = try await Scenario(schema, rows: "", steps: Self.rebuiltN, "CREATE INDEX n_a ON n(a)")
            .verify()
        #expect(
            try late.finding(.objectLost).message
                == "index n_a of n is gone; the index that a later migration creates under its name is not the same: "
                + "it is no longer UNIQUE, and accepts duplicates that it refused before")
    }

    @Test func anObjectThatFollowedItsTableIsSaidToHaveStayed() async throws {
        let schema = Self.plainN + "CREATE UNIQUE INDEX n_a ON n(a);"
        let report = try await Scenario(
            schema, rows: "INSERT INTO n VALUES ('x', 1);",
            steps:
                "ALTER TABLE n RENAME TO old; CREATE TABLE n(a TEXT, b INT); INSERT INTO n SELECT * FROM old;"
        ).verify()
        let finding = try report.finding(.objectLost)
        #expect(finding.message == "index n_a stayed on old: n does not have one like it")
        #expect(finding.place?.statement == "ALTER TABLE n RENAME TO old")
        #expect(finding.help.contains("Drop it by name, and create it again:\n  DROP INDEX n_a;"))
        #expect(!finding.help.contains("before"))
    }

    @Test func aFaultRepairedLaterIsTagged() async throws {
        let report = try await Scenario(
            Mail.schema, rows: Mail.rows, steps: Mail.rebuild(indexes: ""), Mail.emailIndexes
        ).verify()
        let finding = try report.finding(.objectLost)
        #expect(finding.tags == [.healed])
        #expect(finding.message.hasSuffix("; a later migration fixes it"))
        #expect(finding.migration == "v2")
        #expect(report.hasPassed)
    }

    @Test(arguments: [
        [
            "CREATE TABLE new(id INTEGER PRIMARY KEY, a, b); INSERT INTO new SELECT * FROM n",
            "DROP TABLE n; REMEDY", "ALTER TABLE new RENAME TO n",
        ],
        [
            "CREATE TABLE [a b](id INTEGER PRIMARY KEY, \"A a\", b); INSERT INTO [a b] SELECT * FROM n; DROP TABLE n; REMEDY"
        ],
        [
            "ALTER TABLE n RENAME TO old",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, a, b); INSERT INTO n SELECT * FROM old; REMEDY",
        ],
        [
            "ALTER TABLE n RENAME TO old; CREATE TABLE n(id INTEGER PRIMARY KEY, a, b); INSERT INTO n SELECT * FROM old; REMEDY"
        ],
    ])
    func theRemedyCreatesTheObjectsWhereTheRowsAre(_ steps: [String]) async throws {
        for object in [
            "CREATE UNIQUE INDEX \"n a\" ON n(a, b DESC) WHERE a <> 'n';",
            "CREATE TRIGGER n AFTER UPDATE OF a ON n BEGIN UPDATE n SET b = new.a WHERE n.id = old.id; END;",
        ] {
            let schema = "CREATE TABLE n(id INTEGER PRIMARY KEY, a, b); " + object
            let broken = steps.map { $0.replacing("REMEDY", with: "") }
            let report = try await Scenario(schema, rows: Self.row, steps: broken).verify()
            let finding = try report.finding(.objectLost)
            let remedy = finding.proposedSQL.components(separatedBy: "\nDROP ")[0]
            let better = steps.map { $0.replacing("REMEDY", with: remedy) }
            let second = try await Scenario(schema, rows: Self.row, steps: better).verify()
            #expect(second.rules(.error).isEmpty, "\(remedy)\n\(second.findings.map(\.line))")
        }
    }
}
