import DatabaseEngine
import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct RowsLostRuleTests {
    @Test(arguments: [
        RuleCase("every row kept", "UPDATE email SET subject = subject"),
        RuleCase("a row deleted", "DELETE FROM email WHERE id = 2", errors: [.rowsLost]),
        RuleCase(
            "a row of a table WITHOUT ROWID deleted", "DELETE FROM setting WHERE scope = 'web'",
            errors: [.rowsLost]),
        RuleCase("one of two equal rows deleted", "DELETE FROM log WHERE rowid = 1", errors: [.rowsLost]),
        RuleCase("a row of NULLs deleted", "DELETE FROM log WHERE at IS NULL", errors: [.rowsLost]),
        RuleCase(
            "a changed key is a lost row and an added one", "UPDATE account SET id = 30 WHERE id = 3",
            errors: [.rowsLost], warnings: [.rowsAdded]),
        RuleCase(
            "a changed part of a compound key", "UPDATE setting SET scope = 'App' WHERE scope = 'web'",
            errors: [.rowsLost], warnings: [.rowsAdded]),
        RuleCase(
            "another row takes the place of one that may go",
            "-- drydock: deletes from n where b = 'y'\n-- drydock: inserts into n\nDELETE FROM n WHERE b = 'y'; INSERT INTO n(b) VALUES ('z')",
            schema: "CREATE TABLE n(a INTEGER PRIMARY KEY, b);", rows: "INSERT INTO n(b) VALUES ('x'), ('y');"
        ),
        RuleCase(
            "a row that may go stays, and is rewritten",
            "-- drydock: deletes from n where b > 'x'\n-- drydock: rewrites n.c\nDELETE FROM n WHERE b = 'z'; UPDATE n SET c = 1",
            schema: "CREATE TABLE n(a INTEGER PRIMARY KEY, b, c);",
            rows: "INSERT INTO n(b) VALUES ('x'), ('y'), ('z');"),
        RuleCase(
            "another row takes the rowid of one that may go",
            "-- drydock: deletes from n where b = 'y'\n-- drydock: inserts into n\nDELETE FROM n WHERE b = 'y'; INSERT INTO n(b) VALUES ('z')",
            schema: "CREATE TABLE n(b);", rows: "INSERT INTO n(b) VALUES ('x'), ('y');"),
        RuleCase(
            "another row takes the place of one that may not go",
            "-- drydock: deletes from n where b = 'x'\n-- drydock: inserts into n\nDELETE FROM n; INSERT INTO n(b) VALUES ('x'), ('z')",
            schema: "CREATE TABLE n(a INTEGER PRIMARY KEY, b);",
            rows: "INSERT INTO n(b) VALUES ('x'), ('y');",
            errors: [.valuesChanged], warnings: [.unusedDeclaration, .unusedDeclaration]),
        RuleCase(
            "OR REPLACE replaces another row",
            "UPDATE OR REPLACE account SET email = 'ada@example.org' WHERE id = 3",
            schema: "CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT UNIQUE);",
            rows: "INSERT INTO account VALUES (1, 'ada@example.org'), (3, 'cy@example.org');",
            errors: [.rowsLost, .valuesChanged]),
        RuleCase(
            "INSERT OR IGNORE in a rebuild swallows rows",
            """
            CREATE TABLE new(id INTEGER PRIMARY KEY, name TEXT UNIQUE COLLATE NOCASE);
            INSERT OR IGNORE INTO new SELECT * FROM tag; DROP TABLE tag; ALTER TABLE new RENAME TO tag;
            """,
            schema: "CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT UNIQUE);",
            rows: "INSERT INTO tag VALUES (1, 'a'), (2, 'A'), (3, 'b');", errors: [.rowsLost]),
        RuleCase(
            "DISTINCT in a rebuild swallows duplicates",
            "CREATE TABLE new(at TEXT, line); INSERT INTO new SELECT DISTINCT * FROM log; DROP TABLE log; ALTER TABLE new RENAME TO log;",
            errors: [.rowsLost]),
        RuleCase(
            "rows without a key are a multiset, whatever their order",
            """
            CREATE TABLE new(at TEXT, line, level INTEGER);
            INSERT INTO new SELECT at, line, 0 FROM log ORDER BY line DESC, at; DROP TABLE log; ALTER TABLE new RENAME TO log;
            """),
        RuleCase(
            "dropping a parent with foreign keys on takes its children",
            """
            -- drydock: foreign-keys immediate
            CREATE TABLE new(id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO new SELECT * FROM parent; DROP TABLE parent; ALTER TABLE new RENAME TO parent;
            """,
            schema: """
                CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE child(id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parent(id) ON DELETE CASCADE);
                """,
            rows: "INSERT INTO parent VALUES (1, 'a'); INSERT INTO child VALUES (1, 1), (2, NULL);",
            errors: [.rowsLost]),
        RuleCase(
            "the same with foreign keys deferred loses nothing",
            """
            CREATE TABLE new(id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO new SELECT * FROM parent; DROP TABLE parent; ALTER TABLE new RENAME TO parent;
            """,
            schema: """
                CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE child(id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parent(id) ON DELETE CASCADE);
                """,
            rows: "INSERT INTO parent VALUES (1, 'a'); INSERT INTO child VALUES (1, 1), (2, NULL);"),
        RuleCase(
            "a full-text table that holds its own content is a table like any other",
            "DELETE FROM note WHERE rowid = 1", schema: "CREATE VIRTUAL TABLE note USING fts5(body);",
            rows: "INSERT INTO note VALUES ('one'), ('two');", errors: [.rowsLost]),
        RuleCase(
            "later statements do not bring rows back",
            "CREATE TABLE kept AS SELECT * FROM setting; DELETE FROM setting",
            "INSERT INTO setting SELECT * FROM kept",
            errors: [.rowsLost], notes: [.rowsAdded]),
        RuleCase(
            "a row lost and brought back in one step",
            """
            CREATE TABLE kept AS SELECT * FROM setting; DELETE FROM setting; INSERT INTO setting SELECT * FROM kept;
            DROP TABLE kept
            """),
    ])
    func losses(_ it: RuleCase) async throws { try await it.check() }

    @Test(arguments: [
        RuleCase(
            "exactly what is declared",
            "-- drydock: deletes from email where is_spam = 1\nDELETE FROM email WHERE is_spam = 1"),
        RuleCase(
            "less than is declared",
            "-- drydock: deletes from email where is_spam < 2\nDELETE FROM email WHERE is_spam = 1"),
        RuleCase(
            "more than is declared",
            "-- drydock: deletes from email where is_spam = 1\nDELETE FROM email WHERE id < 3",
            errors: [.rowsLost]),
        RuleCase(
            "the condition is evaluated before the step",
            """
            -- drydock: deletes from email where is_spam = 1
            -- drydock: rewrites email.is_spam
            UPDATE email SET is_spam = 1 WHERE id = 1; DELETE FROM email WHERE is_spam = 1
            """, errors: [.rowsLost], warnings: [.unusedDeclaration]),
        RuleCase(
            "without a condition every row may go", "-- drydock: deletes from setting\nDELETE FROM setting"),
        RuleCase(
            "either of two conditions",
            """
            -- drydock: deletes from log where line = 'a'
            -- drydock: deletes from log where line = 'b'
            DELETE FROM log WHERE line IN ('a', 'b')
            """),
        RuleCase(
            "a condition that is NULL allows nothing",
            "-- drydock: deletes from log where line > NULL\nDELETE FROM log WHERE line = 'b'",
            errors: [.rowsLost], warnings: [.unusedDeclaration]),
        RuleCase(
            "a condition with a subquery on another table",
            """
            -- drydock: deletes from email where exists (select 1 from account where account.id = email.account_id and account.name is null)
            DELETE FROM email WHERE account_id = 2
            """),
        RuleCase(
            "another table's declaration does not cover it",
            "-- drydock: deletes from log\nDELETE FROM setting", errors: [.rowsLost],
            warnings: [.unusedDeclaration]),
        RuleCase(
            "the table's name after the step",
            "-- drydock: deletes from preference\nALTER TABLE setting RENAME TO preference; DELETE FROM preference"
        ),
        RuleCase(
            "the table's name before the step",
            "-- drydock: deletes from setting\nALTER TABLE setting RENAME TO preference; DELETE FROM preference"
        ),
        RuleCase(
            "quoted, and in another case",
            "-- drydock: Deletes FROM [LOG] WHERE \"line\" = 'b'\nDELETE FROM log WHERE line = 'b'"),
        RuleCase(
            "a condition that does not compile",
            "-- drydock: deletes from log where lien = 'b'\nDELETE FROM log WHERE line = 'b'",
            errors: [.invalidDeclaration, .rowsLost]),
        RuleCase(
            "a table that does not exist",
            "-- drydock: deletes from logg where line = 'b'\nDELETE FROM log WHERE line = 'b'",
            errors: [.invalidDeclaration, .rowsLost]),
        RuleCase(
            "nothing was lost", "-- drydock: deletes from log\nSELECT 1", warnings: [.unusedDeclaration]),
    ])
    func declarations(_ it: RuleCase) async throws { try await it.check() }

    @Test func theFindingSaysWhichRowsAndWhichStatement() async throws {
        let report = try await Scenario(
            Mail.schema, rows: Mail.rows,
            steps: """
                -- drydock: deletes from email where id = 1
                UPDATE email SET subject = subject;
                DELETE FROM email
                WHERE id < 3;
                DELETE FROM email WHERE id > 70;
                """
        ).verify()
        let finding = try report.finding(.rowsLost)
        #expect(finding.severity == .error)
        #expect(finding.message == "1 row of email is gone (of 3), besides 1 that are declared")
        #expect((finding.table, finding.column) == ("email", nil))
        #expect(finding.migration == "v2")
        #expect(finding.place?.line == 3)
        #expect(finding.place?.statement == "DELETE FROM email\nWHERE id < 3")
        #expect(finding.evidence?.rowCount == 1)
        #expect(
            finding.evidence?.rows.map { $0.key.map { "\($0.column)=\($0.value.literal)" } } == [["id=2"]])
        #expect(finding.help.contains("-- drydock: deletes from email where CONDITION"))
    }

    @Test func everyRowIsCountedAndAFewAreShown() async throws {
        let report = try await Scenario(
            "CREATE TABLE n(id INTEGER PRIMARY KEY, x)",
            rows:
                "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000) INSERT INTO n SELECT x, x FROM c;",
            steps: "DELETE FROM n WHERE id % 2"
        ).verify()
        let evidence = try #require(report.finding(.rowsLost).evidence)
        #expect(evidence.rowCount == 500)
        #expect(evidence.rows.map { $0.key[0].value.literal } == ["1", "3", "5", "7", "9"])
        #expect(report.replays[0].rowsCompared == 1000)
    }

    @Test func aRebuildIsBlamedOnTheCopyingStatement() async throws {
        let report = try await Scenario(
            Mail.schema, rows: Mail.rows,
            steps: Mail.rebuild(copy: "INSERT INTO new_email SELECT * FROM email WHERE is_spam = 0;")
        ).verify()
        report.expect(errors: [.rowsLost])
        let statement = try #require(report.finding(.rowsLost).place?.statement)
        #expect(statement.hasPrefix("INSERT INTO new_email"))
    }

    /// The finding names the statement after which no table has the rows, whatever was copied later.
    @Test(arguments: [
        ("what went before the rebuild", "DELETE FROM n WHERE a = 1;", "", 1),
        ("what the copy left out", "SELECT 1;", " WHERE a > 1", 4),
        ("what was deleted before and left out", "DELETE FROM n WHERE a = 1;", " WHERE a > 1", 1),
    ])
    func aRebuild(_ name: String, _ first: String, _ filter: String, _ line: Int) async throws {
        let renamed = """
            \(first)
            ALTER TABLE n RENAME TO old;
            CREATE TABLE n(a INTEGER PRIMARY KEY, b);
            INSERT INTO n SELECT a, b FROM old\(filter);
            DROP TABLE old;
            """
        let copied = """
            \(first)

            CREATE TABLE new(a INTEGER PRIMARY KEY, b);
            INSERT INTO new SELECT a, b FROM n\(filter);
            DROP TABLE n;
            ALTER TABLE new RENAME TO n;
            """
        for sql in [renamed, copied] {
            let report = try await Scenario(
                "CREATE TABLE n(a INTEGER PRIMARY KEY, b)", rows: "INSERT INTO n VALUES (1, 'x'), (2, 'y');",
                steps: sql
            ).verify()
            report.expect(errors: [.rowsLost])
            #expect(try report.finding(.rowsLost).place?.line == line, "\(sql)")
        }
    }

    @Test func statementsWithinARebuildAreFound() async throws {
        let report = try await Scenario(
            "CREATE TABLE n(a INTEGER PRIMARY KEY, b)", rows: "INSERT INTO n VALUES (1, 'x'), (2, 'y');",
            steps: """
                CREATE TABLE new(a INTEGER PRIMARY KEY, b);
                INSERT INTO new SELECT a, b FROM n;
                DELETE FROM new WHERE a = 1;
                DROP TABLE n;
                ALTER TABLE new RENAME TO n;
                """
        ).verify()
        #expect(try report.finding(.rowsLost).place?.line == 3)
    }

    @Test func aTableThatIsRebuiltTwice() async throws {
        let rebuild = """
            CREATE TABLE new(a INTEGER PRIMARY KEY, b);
            INSERT INTO new SELECT a, b FROM n;
            DROP TABLE n;
            ALTER TABLE new RENAME TO n;

            """
        let report = try await Scenario(
            "CREATE TABLE n(a INTEGER PRIMARY KEY, b)", rows: "INSERT INTO n VALUES (1, 'x'), (2, 'y');",
            steps: rebuild + "DELETE FROM n WHERE a = 1;\n" + rebuild
        ).verify()
        #expect(try report.finding(.rowsLost).place?.line == 5)
    }

    /// Rows may be kept in a table of another name while their own is created again.
    @Test(arguments: [("", " WHERE a > 1", 4), ("DELETE FROM n WHERE a = 1;", "", 1), ("", "", nil)])
    func aRebuildThroughAnotherTable(_ first: String, _ filter: String, _ line: Int?) async throws {
        for end in ["DROP TABLE keep;", "SELECT 1;"] {
            let report = try await Scenario(
                "CREATE TABLE n(a INTEGER PRIMARY KEY, b)", rows: "INSERT INTO n VALUES (1, 'x'), (2, 'y');",
                steps: """
                    \(first) CREATE TABLE keep AS SELECT * FROM n;
                    DROP TABLE n;
                    CREATE TABLE n(a INTEGER PRIMARY KEY, b);
                    INSERT INTO n SELECT a, b FROM keep\(filter);
                    \(end)
                    """
            ).verify()
            report.expect(errors: line == nil ? [] : [.rowsLost])
            #expect(report.findings.first?.place?.line == line)
        }
    }

    /// What is declared instead lets the key change, and nothing else.
    @Test func rowsWithNewKeysAreToBeDeclared() async throws {
        func verify(_ step: String) async throws -> Report {
            try await Scenario(
                "CREATE TABLE n(k TEXT PRIMARY KEY, b)", rows: "INSERT INTO n VALUES ('a', 'x'), ('b', 'y');",
                steps: step
            ).verify()
        }
        let step = "UPDATE n SET k = 'c' WHERE k = 'a'"
        let declaration = "-- drydock: rewrites n.k\n"
        #expect(try await verify(step).finding(.rowsLost).help.contains(declaration))
        try await verify(declaration + step).expect()
        try await verify(declaration + step.replacing(" WHERE", with: ", b = 'z' WHERE")).expect(
            errors: [.valuesChanged])
        #expect(
            try await !verify("DELETE FROM n WHERE k = 'a'").finding(.rowsLost).help.contains(declaration))
    }

    /// A declaration of one of several columns would say nothing of the others.
    @Test func newKeysOfSeveralColumnsAreNotProposed() async throws {
        let finding = try await Scenario(
            "CREATE TABLE n(k, l, b, PRIMARY KEY (k, l))", rows: "INSERT INTO n VALUES ('a', 1, 'x');",
            steps: "UPDATE n SET k = 'c', l = 2"
        ).verify().finding(.rowsLost)
        #expect(!finding.help.contains("drydock: rewrites n."), "\(finding.help)")
    }

    @Test func rowsThatAnIntermediateTableLeftOut() async throws {
        let report = try await Scenario(
            "CREATE TABLE n(a INTEGER PRIMARY KEY, b)", rows: "INSERT INTO n VALUES (1, 'x'), (2, 'y');",
            steps: """
                CREATE TABLE keep AS SELECT * FROM n WHERE a > 1;
                DROP TABLE n;
                CREATE TABLE n(a INTEGER PRIMARY KEY, b);
                INSERT INTO n SELECT a, b FROM keep;
                """
        ).verify()
        #expect(try report.finding(.rowsLost).place?.line == 1)
    }
}
