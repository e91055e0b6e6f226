import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct ValuesChangedRuleTests {
    @Test(arguments: [
        RuleCase(
            "one value", "UPDATE email SET sender = upper(sender) WHERE id = 3", errors: [.valuesChanged]),
        RuleCase(
            "a finding for each column", "UPDATE email SET sender = upper(sender), snippet = 's'",
            errors: [.valuesChanged, .valuesChanged]),
        RuleCase(
            "only the case of letters, in a NOCASE column", "UPDATE tag SET name = 'A'",
            schema: "CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE);",
            rows: "INSERT INTO tag VALUES (1, 'a');", errors: [.valuesChanged]),
        RuleCase(
            "blanks at the end, in an RTRIM column", "UPDATE tag SET name = 'a '",
            schema: "CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT COLLATE RTRIM);",
            rows: "INSERT INTO tag VALUES (1, 'a');", errors: [.valuesChanged]),
        RuleCase(
            "a key that is equal in its collation is a different value",
            "UPDATE tag SET name = 'A'",
            schema: "CREATE TABLE tag(name TEXT COLLATE NOCASE PRIMARY KEY) WITHOUT ROWID;",
            rows: "INSERT INTO tag VALUES ('a');", errors: [.rowsLost], warnings: [.rowsAdded]),
        RuleCase(
            "NULL to empty text", "UPDATE account SET name = '' WHERE name IS NULL", errors: [.valuesChanged]),
        RuleCase(
            "empty text to NULL", "UPDATE email SET snippet = NULL WHERE snippet = ''",
            errors: [.valuesChanged]),
        RuleCase(
            "empty text to an empty blob", "UPDATE email SET snippet = x'' WHERE snippet = ''",
            errors: [.valuesChanged]),
        RuleCase(
            "text to a blob of the same bytes",
            "UPDATE setting SET value = CAST(value AS BLOB) WHERE value = 'dark'",
            errors: [.valuesChanged]),
        RuleCase("1 to 1.0", "UPDATE setting SET value = 1.0 WHERE value = 1", errors: [.valuesChanged]),
        RuleCase("1 to '1'", "UPDATE setting SET value = '1' WHERE value = 1", errors: [.valuesChanged]),
        RuleCase(
            "1 to 1.0 in a row without a key", "UPDATE log SET line = 1.0 WHERE line = 1",
            errors: [.valuesChanged]),
        RuleCase(
            "a value in a row without a key, whose rowid stays", "UPDATE log SET line = 'c' WHERE line = 'b'",
            errors: [.valuesChanged]),
        RuleCase(
            "an integer beyond 2^53 through REAL", "UPDATE n SET x = CAST(CAST(x AS REAL) AS INTEGER)",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, x);",
            rows: "INSERT INTO n VALUES (1, 9007199254740993);",
            errors: [.valuesChanged]),
        RuleCase(
            "the last bit of a real", "UPDATE n SET x = 0.3",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, x);",
            rows: "INSERT INTO n VALUES (1, 0.1 + 0.2);",
            errors: [.valuesChanged]),
        RuleCase(
            "text after a NUL", "UPDATE n SET x = 'a'",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, x);",
            rows: "INSERT INTO n VALUES (1, 'a' || char(0) || 'b');",
            errors: [.valuesChanged]),
        RuleCase(
            "bytes that are not UTF-8", "UPDATE n SET x = CAST(x'fe' AS TEXT)",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, x);",
            rows: "INSERT INTO n VALUES (1, CAST(x'ff' AS TEXT));",
            errors: [.valuesChanged]),
        RuleCase(
            "composed to decomposed", "UPDATE n SET x = 'e' || char(769)",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, x);",
            rows: "INSERT INTO n VALUES (1, char(233));",
            errors: [.valuesChanged]),
        RuleCase(
            "changed and changed back in one step",
            "UPDATE email SET is_spam = 9; UPDATE email SET is_spam = (id = 2)"),
        RuleCase(
            "later statements do not bring values back",
            "UPDATE email SET is_spam = is_spam + 1", "UPDATE email SET is_spam = is_spam - 1",
            errors: [.valuesChanged, .valuesChanged]),
        RuleCase(
            "a generated column follows its base", "UPDATE stamp SET size = 9 WHERE code = 'a'",
            errors: [.valuesChanged]),
        RuleCase("a column with another name", "ALTER TABLE email RENAME COLUMN sender TO from_address"),
        RuleCase(
            "names of two columns swapped by ALTER",
            "ALTER TABLE pair RENAME a TO c; ALTER TABLE pair RENAME b TO a; ALTER TABLE pair RENAME c TO b",
            schema: "CREATE TABLE pair(id INTEGER PRIMARY KEY, a, b);",
            rows: "INSERT INTO pair VALUES (1, 2, 3);"),
        RuleCase(
            "values of two columns swapped in a rebuild by SELECT *",
            """
            CREATE TABLE new(id INTEGER PRIMARY KEY, b, a); INSERT INTO new SELECT * FROM pair;
            DROP TABLE pair; ALTER TABLE new RENAME TO pair
            """,
            schema: "CREATE TABLE pair(id INTEGER PRIMARY KEY, a, b);",
            rows: "INSERT INTO pair VALUES (1, 2, 3);",
            errors: [.valuesChanged, .valuesChanged]),
        RuleCase(
            "columns in another order, each with its values",
            """
            CREATE TABLE new(id INTEGER PRIMARY KEY, b, a); INSERT INTO new(id, a, b) SELECT id, a, b FROM pair;
            DROP TABLE pair; ALTER TABLE new RENAME TO pair
            """,
            schema: "CREATE TABLE pair(id INTEGER PRIMARY KEY, a, b);",
            rows: "INSERT INTO pair VALUES (1, 2, 3);"),
        RuleCase(
            "a column's new type converts its values",
            """
            CREATE TABLE new(id INTEGER PRIMARY KEY, zip INTEGER); INSERT INTO new SELECT * FROM place;
            DROP TABLE place; ALTER TABLE new RENAME TO place
            """,
            schema: "CREATE TABLE place(id INTEGER PRIMARY KEY, zip TEXT);",
            rows: "INSERT INTO place VALUES (1, '00501'), (2, 'K1A 0B1');", errors: [.valuesChanged]),
        RuleCase(
            "two tables swap their names, not their rows",
            "ALTER TABLE a RENAME TO c; ALTER TABLE b RENAME TO a; ALTER TABLE c RENAME TO b",
            schema: "CREATE TABLE a(id INTEGER PRIMARY KEY, x); CREATE TABLE b(id INTEGER PRIMARY KEY, x);",
            rows: "INSERT INTO a VALUES (1, 'a'); INSERT INTO b VALUES (1, 'b'), (2, 'bb');"),
        RuleCase(
            "a default edited in the schema changes the rows that take it",
            "ALTER TABLE n ADD COLUMN y DEFAULT 'old'",
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'old', 'new') WHERE name = 'n';
            """,
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY);", rows: "INSERT INTO n VALUES (1);",
            errors: [.valuesChanged]),
    ])
    func changes(_ it: RuleCase) async throws { try await it.check() }

    @Test(arguments: [
        RuleCase("a column", "-- drydock: rewrites email.sender\nUPDATE email SET sender = upper(sender)"),
        RuleCase("a whole table", "-- drydock: rewrites email\nUPDATE email SET sender = 'x', snippet = 'y'"),
        RuleCase(
            "a whole table, with a star",
            "-- drydock: rewrites email.*\nUPDATE email SET sender = 'x', snippet = 'y'"),
        RuleCase(
            "a list",
            "-- drydock: rewrites email.sender, email.snippet\nUPDATE email SET sender = 'x', snippet = 'y'"),
        RuleCase(
            "another column", "-- drydock: rewrites email.snippet\nUPDATE email SET sender = 'x'",
            errors: [.valuesChanged],
            warnings: [.unusedDeclaration]),
        RuleCase(
            "a column that is misspelt", "-- drydock: rewrites email.sendr\nUPDATE email SET sender = 'x'",
            errors: [.invalidDeclaration, .valuesChanged]),
        RuleCase(
            "the column's name after the step",
            "-- drydock: rewrites email.origin\nALTER TABLE email RENAME sender TO origin; UPDATE email SET origin = 'x'"
        ),
        RuleCase(
            "the column's name before the step",
            "-- drydock: rewrites email.sender\nALTER TABLE email RENAME sender TO origin; UPDATE email SET origin = 'x'"
        ),
        RuleCase(
            "does not cover lost rows", "-- drydock: rewrites log\nDELETE FROM log WHERE line = 'b'",
            errors: [.rowsLost]),
        RuleCase(
            "a row without a key", "-- drydock: rewrites log.line\nUPDATE log SET line = 'c' WHERE line = 'b'"
        ),
        RuleCase("every row without a key", "-- drydock: rewrites log.line\nUPDATE log SET line = 'c'"),
        RuleCase(
            "a part of the key", "-- drydock: rewrites setting.scope\nUPDATE setting SET scope = upper(scope)"
        ),
        RuleCase("the whole key", "-- drydock: rewrites account.id\nUPDATE account SET id = 30 WHERE id = 3"),
        RuleCase("quoted", "-- drydock: rewrites [email].`SENDER`\nUPDATE email SET sender = 'x'"),
    ])
    func declarations(_ it: RuleCase) async throws { try await it.check() }

    @Test func declarationsMayMixNamesBeforeAndAfterTheStep() async throws {
        let it = RuleCase(
            "setting.content",
            """
            -- drydock: rewrites setting.content
            ALTER TABLE setting RENAME TO preference; ALTER TABLE preference RENAME value TO content;
            UPDATE preference SET content = 'x'
            """)
        try await it.check()
    }

    @Test func theFindingShowsBothValues() async throws {
        let report = try await Scenario(
            Mail.schema, rows: Mail.rows,
            steps: "SELECT 1;\nUPDATE setting SET value = CAST(value AS TEXT) WHERE name <> 'x';"
        ).verify()
        let finding = try report.finding(.valuesChanged)
        #expect(finding.message == "setting.value changed in 2 rows")
        #expect(finding.place?.line == 2)
        let rows = finding.evidence?.rows ?? []
        #expect(rows.map { $0.before?.literal } == ["2.5", "1"])
        #expect(rows.map { $0.after?.literal } == ["'2.5'", "'1'"])
        #expect(rows.map { $0.before?.storageClass } == ["real", "integer"])
        #expect(rows.first?.key.map(\.column) == ["scope", "name"])
        #expect(finding.help.contains("-- drydock: rewrites setting.value"))
    }

    @Test func theLastStatementThatChangedTheRowIsBlamed() async throws {
        let report = try await Scenario(
            Mail.schema, rows: Mail.rows,
            steps: """
                UPDATE email SET snippet = 'a' WHERE id = 1;
                UPDATE email SET snippet = '..' WHERE id = 1;
                UPDATE email SET snippet = 'b' WHERE id = 1;
                """
        ).verify()
        #expect(try report.finding(.valuesChanged).place?.line == 3)
    }

    @Test func textOfAUTF16DatabaseIsShownAsText() async throws {
        var scenario = Scenario(
            Mail.schema, rows: Mail.rows, steps: "UPDATE email SET snippet = 'où' WHERE id = 3")
        scenario.pragmas = ["PRAGMA encoding = 'UTF-16be'"]
        let report = try await scenario.verify()
        report.expect(errors: [.valuesChanged])
        let row = try #require(report.finding(.valuesChanged).evidence?.rows.first)
        #expect((row.before?.literal, row.after?.literal) == ("'hé'", "'où'"))
    }

    @Test func anUpdateBeforeARebuildIsToBlame() async throws {
        let report = try await Scenario(
            "CREATE TABLE n(a INTEGER PRIMARY KEY, b)", rows: "INSERT INTO n VALUES (1, 'x'), (2, 'y');",
            steps: """
                UPDATE n SET b = 'z' WHERE a = 1;
                ALTER TABLE n RENAME TO old;
                CREATE TABLE n(a INTEGER PRIMARY KEY, b, c);
                INSERT INTO n(a, b) SELECT a, b FROM old;
                DROP TABLE old;
                """
        ).verify()
        report.expect(errors: [.valuesChanged])
        #expect(try report.finding(.valuesChanged).place?.line == 1)
    }
}
