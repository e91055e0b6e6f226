import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct DestructiveRuleTests {
    @Test(arguments: [
        LintCase("DROP TABLE", "DROP VIEW inbox; DROP TABLE email", says: [.error]),
        LintCase("DROP COLUMN", "ALTER TABLE email DROP COLUMN body", says: [.error]),
        LintCase(
            "DROP COLUMN that was read before",
            "ALTER TABLE email ADD COLUMN text TEXT; UPDATE email SET text = body; ALTER TABLE email DROP COLUMN body",
            says: [.warning]),
        LintCase("DELETE", "DELETE FROM email", says: [.error]),
        LintCase("DELETE with a condition", "DELETE FROM email WHERE is_spam", says: [.error]),
        LintCase("UPDATE", "UPDATE email SET subject = trim(subject)", says: [.warning]),
        LintCase(
            "renamed and dropped",
            "ALTER TABLE email RENAME TO mail; DROP VIEW inbox; DROP TABLE mail", says: [.error]),
        LintCase(
            "a rebuild that leaves a column out",
            """
            CREATE TABLE n(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE);
            INSERT INTO n(id, email) SELECT id, email FROM account;
            DROP TABLE account; ALTER TABLE n RENAME TO account;
            """, says: [.error]),
    ]) func says(_ it: LintCase) async throws { try await it.check(.destructiveUndeclared) }

    @Test(arguments: [
        LintCase("declared DROP TABLE", "-- drydock: drops table email\nDROP VIEW inbox; DROP TABLE email"),
        LintCase(
            "declared DROP COLUMN", "-- drydock: drops column email.body\nALTER TABLE email DROP COLUMN body"),
        LintCase(
            "declared DELETE", "-- drydock: deletes from email where is_spam\nDELETE FROM email WHERE is_spam"
        ),
        LintCase("declared UPDATE", "-- drydock: rewrites email.subject\nUPDATE email SET subject = ''"),
        LintCase("a new column filled", "ALTER TABLE email ADD COLUMN x; UPDATE email SET x = length(body)"),
        LintCase(
            "a table of its own", "CREATE TABLE a(x); INSERT INTO a VALUES(1); DELETE FROM a; DROP TABLE a"),
        LintCase("INSERT", "INSERT INTO account(email) VALUES ('x')"),
        LintCase(
            "a rebuild",
            """
            CREATE TABLE n(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT);
            INSERT INTO n(id, email, name) SELECT id, email, name FROM account;
            DROP TABLE account; ALTER TABLE n RENAME TO account;
            """),
        LintCase(
            "a rebuild in two halves",
            """
            CREATE TABLE n(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
            INSERT INTO n(id, email, name) SELECT id, email, name FROM account WHERE name IS NOT NULL
                UNION ALL SELECT id, email, '' FROM account WHERE name IS NULL;
            DROP TABLE account; ALTER TABLE n RENAME TO account;
            """),
        LintCase(
            "a copy of all rows beside some of another table",
            """
            CREATE TABLE n(email TEXT NOT NULL);
            INSERT INTO n SELECT email FROM account UNION ALL SELECT subject FROM email WHERE is_spam;
            DROP TABLE account;
            """),
        LintCase(
            "a copy by CREATE TABLE AS",
            "CREATE TABLE keep AS SELECT * FROM account; DROP TABLE account; ALTER TABLE keep RENAME TO account"
        ),
    ]) func isSilent(_ it: LintCase) async throws { try await it.check(.destructiveUndeclared) }

    private static let people = "CREATE TABLE t(id INTEGER PRIMARY KEY, p TEXT, q TEXT);"

    /// The values of a dropped column are searched for at the end of the migration, whatever was renamed in between.
    @Test(arguments: [
        LintCase(
            "a new type under the old name", schema: people,
            "ALTER TABLE t ADD p_ext TEXT; UPDATE t SET p_ext = p; ALTER TABLE t RENAME p TO p_old; ALTER TABLE t RENAME p_ext TO p; ALTER TABLE t DROP p_old"
        ),
        LintCase(
            "the old one goes first", schema: people,
            "ALTER TABLE t ADD p_ext TEXT; UPDATE t SET p_ext = t.p; ALTER TABLE t DROP p; ALTER TABLE t RENAME p_ext TO p"
        ),
        LintCase(
            "the table is renamed in between", schema: people,
            "ALTER TABLE t ADD \"p ext\" TEXT; ALTER TABLE t RENAME TO u; UPDATE u SET [p ext] = (p) WHERE p IS NOT NULL; ALTER TABLE u RENAME p TO p_old; ALTER TABLE u RENAME \"p ext\" TO P; ALTER TABLE u DROP p_old; ALTER TABLE u RENAME TO t"
        ),
        LintCase(
            "through two columns", schema: people,
            "ALTER TABLE t ADD a TEXT; UPDATE t SET a = p; ALTER TABLE t ADD b TEXT; UPDATE t SET q = q, b = a; ALTER TABLE t DROP a; ALTER TABLE t DROP p; ALTER TABLE t RENAME b TO p;-- drydock: rewrites t.q"
        ),
        LintCase(
            "under another name", schema: people,
            "ALTER TABLE t ADD b TEXT; UPDATE t SET b = p; ALTER TABLE t DROP p", says: [.warning]),
        LintCase(
            "in another table", schema: people,
            "CREATE TABLE keep AS SELECT id, p FROM t; ALTER TABLE keep RENAME TO kept; ALTER TABLE t DROP p",
            says: [.warning]),
        LintCase(
            "computed", schema: people,
            "ALTER TABLE t ADD b TEXT; UPDATE t SET b = upper(p); ALTER TABLE t RENAME p TO o; ALTER TABLE t RENAME b TO p; ALTER TABLE t DROP o",
            says: [.warning]),
        LintCase(
            "of another affinity", schema: people,
            "ALTER TABLE t ADD b INTEGER; UPDATE t SET b = p; ALTER TABLE t RENAME p TO o; ALTER TABLE t RENAME b TO p; ALTER TABLE t DROP o",
            says: [.warning]),
        LintCase(
            "kept through a WHERE", schema: people,
            "ALTER TABLE t ADD is_new INTEGER; UPDATE t SET is_new = 1 WHERE p = 'new'; ALTER TABLE t DROP p",
            says: [.warning]),
        LintCase(
            "in two parts", schema: people,
            "ALTER TABLE t ADD b TEXT; UPDATE t SET b = p WHERE id < 5; UPDATE t SET b = p WHERE id >= 5; ALTER TABLE t DROP p",
            says: [.warning]),
        LintCase(
            "of some rows", schema: people,
            "ALTER TABLE t ADD b TEXT; UPDATE t SET b = p WHERE id < 5; ALTER TABLE t RENAME p TO o; ALTER TABLE t RENAME b TO p; ALTER TABLE t DROP o",
            says: [.error]),
        LintCase(
            "renamed and never copied", schema: people,
            "ALTER TABLE t ADD b TEXT; ALTER TABLE t RENAME p TO o; ALTER TABLE t RENAME b TO p; ALTER TABLE t DROP o",
            says: [.error]),
        LintCase(
            "the copy is dropped", schema: people,
            "ALTER TABLE t ADD b TEXT; UPDATE t SET b = p; ALTER TABLE t RENAME p TO o; ALTER TABLE t RENAME b TO c; ALTER TABLE t DROP o; ALTER TABLE t DROP c",
            says: [.error]),
        LintCase(
            "the copy is overwritten", schema: people,
            "ALTER TABLE t ADD b TEXT; UPDATE t SET b = p; UPDATE t SET b = 'x'; ALTER TABLE t DROP p",
            says: [.error]),
        LintCase(
            "the copy goes with its table", schema: people,
            "CREATE TABLE keep AS SELECT id, p FROM t; ALTER TABLE t DROP p; DROP TABLE keep", says: [.error]),
        LintCase(
            "the copy is temporary", schema: people,
            "CREATE TEMP TABLE keep AS SELECT id, p FROM t; ALTER TABLE t DROP p", says: [.error]),
        LintCase(
            "a temporary table of the same name", schema: people,
            "ALTER TABLE t ADD b TEXT; UPDATE t SET b = p; CREATE TEMP TABLE t AS SELECT 1 AS x; DROP TABLE t; ALTER TABLE t DROP p; ALTER TABLE t RENAME b TO p"
        ),
        LintCase(
            "a column of the same name was copied", schema: people,
            "CREATE TABLE o(p TEXT); CREATE TABLE n(p TEXT); INSERT INTO n SELECT p FROM o; ALTER TABLE t DROP p",
            says: [.error]),
        LintCase(
            "a rebuild orders by what it leaves out", schema: people,
            "CREATE TABLE n(id INTEGER PRIMARY KEY, q TEXT); INSERT INTO n(id, q) SELECT id, q FROM t ORDER BY p; DROP TABLE t; ALTER TABLE n RENAME TO t",
            says: [.error]),
        LintCase(
            "a rebuild keeps the copy", schema: people,
            "ALTER TABLE t ADD b TEXT; UPDATE t SET b = p; CREATE TABLE n(id INTEGER PRIMARY KEY, b TEXT, q TEXT); INSERT INTO n(id, b, q) SELECT id, b, q FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t"
        ),
    ]) func columnsAreFollowed(_ it: LintCase) async throws {
        let findings = try await it.check(.destructiveUndeclared)
        // Where another column has the name at the end, the help must not declare that it goes.
        for finding in findings where it.steps.last?.contains("TO p;") == true {
            #expect(finding.help.contains("rewrites t.p") && !finding.help.contains("drops column"))
        }
    }

    private static func rebuild(_ copies: String) -> String {
        "CREATE TABLE n(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT);" + copies
            + "DROP TABLE account; ALTER TABLE n RENAME TO account;"
    }

    @Test(arguments: [
        LintCase(
            "WHERE",
            rebuild(
                "INSERT INTO n(id, email, name) SELECT id, email, name FROM account\n WHERE name IS NOT NULL;"
            ),
            says: [.error]),
        LintCase(
            "declared",
            "-- drydock: deletes from account where name IS NULL\n"
                + rebuild("INSERT INTO n(id, email, name) SELECT id, email, name FROM account WHERE name;")),
        LintCase(
            "in two halves",
            rebuild(
                "INSERT INTO n(id, email, name) SELECT id, email, name FROM account WHERE name = 'a';"
                    + "INSERT INTO n(id, email, name) SELECT id, email, name FROM account WHERE name IS NOT 'a';"
            )),
        LintCase(
            "true of every row",
            rebuild(
                "INSERT INTO n(id, email, name) SELECT id, email, name FROM account WHERE account.email IS NOT NULL AND (id NOT NULL OR name ISNULL);"
            )),
        LintCase(
            "of an upsert",
            rebuild(
                "INSERT INTO n(id, email, name) SELECT id, email, name FROM account WHERE true ON CONFLICT DO NOTHING;"
            )),
        LintCase(
            "in a subquery",
            rebuild(
                "INSERT INTO n(id, email, name) SELECT id, email, (SELECT max(body) FROM email WHERE is_spam) FROM account;"
            )),
    ]) func aRebuildThatCopiesSomeRows(_ it: LintCase) async throws {
        let findings = try await it.check(.destructiveUndeclared)
        #expect(
            findings.allSatisfy {
                $0.help.contains("deletes from account where (name IS NOT NULL) IS NOT TRUE")
            })
    }

    private static let note = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);"
    private static func copy(_ insert: String, behind: String = "") -> String {
        note.replacing("t(", with: "n(") + insert + ";" + behind + "DROP TABLE t; ALTER TABLE n RENAME TO t;"
    }

    @Test(arguments: [
        LintCase("all", schema: note, copy("INSERT INTO n(id,a,b) SELECT id,a,b FROM t")),
        LintCase(
            "a column forgotten", schema: note, copy("INSERT INTO n(id,a) SELECT id,a FROM t"), says: [.error]
        ),
        LintCase(
            "forgotten, and meant", schema: note,
            "-- drydock: rewrites t.b\n" + copy("INSERT INTO n(id,a) SELECT id,a FROM t")),
        LintCase(
            "filled afterwards", schema: note,
            copy(
                "INSERT INTO n(id,a) SELECT id,a FROM t",
                behind: "UPDATE n SET b = (SELECT b FROM t WHERE t.id = n.id);")),
        LintCase(
            "made another column", schema: note,
            copy("INSERT INTO n(id,a) SELECT id, a || coalesce(b, '') FROM t")),
        LintCase(
            "computed", schema: note, copy("INSERT INTO n(id,a,b) SELECT id,a,coalesce(b, 0) FROM t")),
        LintCase(
            "LIMIT", schema: note, copy("INSERT INTO n(id,a,b) SELECT id,a,b FROM t LIMIT 100"),
            says: [.error]),
        LintCase("no LIMIT", schema: note, copy("INSERT INTO n(id,a,b) SELECT id,a,b FROM t LIMIT -1")),
        LintCase(
            "JOIN", schema: note + "CREATE TABLE p(x);",
            copy("INSERT INTO n(id,a,b) SELECT id,a,b FROM t JOIN p ON p.x = b"), says: [.warning]),
        LintCase(
            "LEFT JOIN", schema: note + "CREATE TABLE p(x);",
            copy("INSERT INTO n(id,a,b) SELECT id,a,b FROM t LEFT OUTER JOIN p ON p.x = b")),
        LintCase(
            "DELETE after the copy", schema: note,
            copy("INSERT INTO n(id,a,b) SELECT id,a,b FROM t", behind: "DELETE FROM n WHERE b > 5;"),
            says: [.error]),
        LintCase(
            "DELETE that is declared", schema: note,
            "-- drydock: deletes from t where b > 5\n"
                + copy("INSERT INTO n(id,a,b) SELECT id,a,b FROM t", behind: "DELETE FROM n WHERE b > 5;")),
    ]) func aRebuildThatForgets(_ it: LintCase) async throws { try await it.check(.destructiveUndeclared) }

    private static func log(_ columns: String, _ copy: String) -> String {
        "CREATE TABLE n(\(columns)); \(copy); DROP TABLE log; ALTER TABLE n RENAME TO log;"
    }

    @Test(arguments: [
        LintCase(
            "DISTINCT", schema: "CREATE TABLE log(at, line)",
            log("at, line", "INSERT INTO n(at, line) SELECT DISTINCT at, line FROM log"), says: [.warning]),
        LintCase(
            "GROUP BY", schema: "CREATE TABLE log(at, line)",
            log("at, line", "INSERT INTO n(at, line) SELECT min(at), line FROM log GROUP BY line"),
            says: [.warning]),
        LintCase(
            "DISTINCT with a key", schema: "CREATE TABLE log(at PRIMARY KEY, line)",
            log("at PRIMARY KEY, line", "INSERT INTO n(at, line) SELECT DISTINCT at, line FROM log")),
        LintCase(
            "declared", schema: "CREATE TABLE log(at, line)",
            "-- drydock: deletes from log\n"
                + log("at, line", "INSERT INTO n(at, line) SELECT DISTINCT at, line FROM log")),
        LintCase(
            "in a subquery", schema: "CREATE TABLE log(at, line)",
            log(
                "at, line, x",
                "INSERT INTO n(at, line, x) SELECT at, line, (SELECT count(DISTINCT line) FROM log) FROM log")
        ),
    ]) func aRebuildThatKeepsOneOfMany(_ it: LintCase) async throws {
        try await it.check(.destructiveUndeclared)
    }

    @Test(arguments: [
        ("TEXT", "INTEGER", "zip", [Finding.Severity.warning]), ("INTEGER", "REAL", "zip", [.warning]),
        ("REAL", "INTEGER", "zip", [.warning]), ("REAL", "FLOATING POINT", "zip", [.warning]),
        ("TEXT", "REAL", "zip", [.warning]),
        ("INTEGER", "TEXT", "zip", [.warning]), ("VARCHAR(9)", "TEXT", "zip", []),
        ("INTEGER", "BIGINT", "zip", []), ("INTEGER", "REAL", "CAST(zip AS REAL)", []),
        ("DATETIME", "TEXT", "zip", []), ("", "TEXT", "zip", []),
    ]) func aRebuildThatConverts(_ old: String, _ new: String, _ item: String, _ says: [Finding.Severity])
        async throws
    {
        var it = LintCase(
            "", schema: "CREATE TABLE log(id INTEGER PRIMARY KEY, zip \(old))",
            Self.log("id INTEGER PRIMARY KEY, zip \(new)", "INSERT INTO n SELECT id, \(item) FROM log"))
        it.says = says
        let finding = try await it.check(.destructiveUndeclared).first
        if let finding { #expect(finding.help.contains("-- drydock: rewrites log.zip")) }
        it.says = []
        it.steps[1] = "-- drydock: rewrites log.zip\n" + it.steps[1]
        try await it.check(.destructiveUndeclared)
        guard !says.isEmpty else { return }
        let database = try PlainDatabase()
        try database.execute(it.steps[0] + "; INSERT INTO log(zip) VALUES ('007'); UPDATE log SET zip = zip;")
        let before = try database.rows("SELECT quote(zip) FROM log") { $0.string(0) }
        try database.execute(it.steps[1])
        #expect(try database.rows("SELECT quote(zip) FROM log") { $0.string(0) } != before)
    }

    @Test func valuesReadBeforeMayBeKept() async throws {
        try await LintCase(
            "",
            "ALTER TABLE account ADD COLUMN n; UPDATE account SET n = (SELECT count(*) FROM email WHERE account_id = account.id); DROP VIEW inbox; DROP TABLE email",
            says: [.warning]
        ).check(.destructiveUndeclared)
    }

    @Test func updatesOfTheSameColumnsAreReportedOnce() async throws {
        try await LintCase(
            "", "UPDATE email SET subject = 'a' WHERE id = 1; UPDATE email SET subject = 'b' WHERE id = 2",
            says: [.warning]
        ).check(.destructiveUndeclared)
    }

    @Test func theHelpUsesTheTablesFirstName() async throws {
        let it = LintCase(
            "",
            "ALTER TABLE account RENAME TO o; UPDATE o SET name = ''; ALTER TABLE o RENAME TO account",
            says: [.warning])
        let finding = try #require(try await it.check(.destructiveUndeclared).first)
        #expect(finding.help.contains("rewrites account.name"))
    }

    @Test func theHelpIsADeclaration() async throws {
        let it = LintCase("", "DELETE FROM email WHERE is_spam = 1", says: [.error])
        let help = try #require(try await it.check(.destructiveUndeclared).first).help
        #expect(help.contains("  -- drydock: deletes from email where is_spam = 1"))
        let locked = try await it.lint {
            $0.locked = ["v1", "v2"]
            $0.includesLocked = true
        }.report.findings
        #expect(locked.contains { $0.help.contains("# drydock.yml") })
    }

    private static let fts = "CREATE VIRTUAL TABLE note USING fts5(text);"

    @Test(arguments: [
        LintCase("DROP", schema: fts, "DROP TABLE note", says: [.error]),
        LintCase("DELETE", schema: fts, "DELETE FROM note", says: [.error]),
        LintCase("declared", schema: fts, "-- drydock: drops table note\nDROP TABLE note"),
        LintCase(
            "without text", schema: "CREATE VIRTUAL TABLE note USING fts5(text, content='');",
            "DROP TABLE note"),
        LintCase(
            "of another table",
            schema: "CREATE TABLE t(text); CREATE VIRTUAL TABLE note USING fts5(text, content=t);",
            "DROP TABLE note"),
        LintCase(
            "filled by a trigger",
            schema: "CREATE TABLE t(text);" + fts
                + "CREATE TRIGGER i AFTER INSERT ON t BEGIN INSERT INTO note VALUES (new.text); END;",
            "DROP TRIGGER i; DROP TABLE note"),
        LintCase(
            "filled again", schema: "CREATE TABLE t(text);" + fts,
            "DROP TABLE note;" + fts + "INSERT INTO note(text) SELECT text FROM t"),
        LintCase("new", schema: "CREATE TABLE t(text)", fts + "DROP TABLE note"),
    ]) func fullTextTables(_ it: LintCase) async throws {
        try await it.check(.destructiveUndeclared)
    }

    @Test func aConditionTrueForEveryRowLosesNoRows() throws {
        let database = try PlainDatabase()
        try database.execute(LintCase.mail + LintCase.rows + "INSERT INTO account(email) VALUES ('c@x');")
        let sql =
            "SELECT count(*) FROM account WHERE account.email IS NOT NULL AND (id NOT NULL OR name ISNULL)"
        #expect(try database.rows(sql) { $0.integer(0) } == [3])
        #expect(throws: PlainDatabase.Failure.self) {
            try database.execute("INSERT INTO account(email) VALUES (NULL)")
        }
    }

    @Test(arguments: [
        LintCase("made and dropped", "CREATE TEMP TABLE k(x); DROP TABLE k"),
        LintCase(
            "of a table's name", "CREATE TEMP TABLE account(x); DELETE FROM account; DROP TABLE account"),
        LintCase("named with its schema", "CREATE TABLE temp.account(x); DROP TABLE account"),
        LintCase(
            "filled from a table", "CREATE TEMP TABLE k AS SELECT * FROM account; DELETE FROM k; DROP TABLE k"
        ),
        LintCase(
            "the table itself", "CREATE TEMP TABLE account(x); DROP TABLE main.account", says: [.error]),
        LintCase(
            "the table afterwards", "CREATE TEMP TABLE account(x); DROP TABLE account; DROP TABLE account",
            says: [.error]),
        LintCase(
            "rows that come back",
            "CREATE TEMP TABLE k AS SELECT * FROM account; DROP TABLE account; CREATE TABLE account(id INTEGER PRIMARY KEY, email, name); INSERT INTO account(id, email, name) SELECT id, email, name FROM k; DROP TABLE k"
        ),
    ]) func temporaryTables(_ it: LintCase) async throws { try await it.check(.destructiveUndeclared) }

    @Test func aTemporaryTableHidesTheOther() throws {
        let database = try PlainDatabase()
        try database.execute(LintCase.mail + LintCase.rows)
        try database.execute("CREATE TEMP TABLE account(x); DELETE FROM account; DROP TABLE account")
        #expect(try database.rows("SELECT count(*) FROM account") { $0.integer(0) } == [2])
    }

    static let replacing = [
        LintCase("REPLACE", "REPLACE INTO account(id, email) VALUES (1, 'z')", says: [.warning]),
        LintCase(
            "OR REPLACE by a unique column", "INSERT OR REPLACE INTO account(email) VALUES ('a@x')",
            says: [.warning]),
        LintCase(
            "with children", "REPLACE INTO account(id, email, name) VALUES (1, 'a@x', '')", says: [.error],
            tool: .d1),
        LintCase(
            "an upsert",
            "INSERT INTO account(id, email) VALUES (1, 'a@x') ON CONFLICT(id) DO UPDATE SET name = 'z'",
            says: [.warning]),
        LintCase(
            "a view's trigger",
            schema: LintCase.mail
                + "CREATE TRIGGER v INSTEAD OF DELETE ON inbox BEGIN DELETE FROM email WHERE id = old.id; END;",
            "DELETE FROM inbox", says: [.error]),
        LintCase(
            "a view's UPDATE",
            schema: LintCase.mail
                + "CREATE TRIGGER v INSTEAD OF UPDATE OF subject ON inbox BEGIN UPDATE email SET subject = new.subject WHERE id = old.id; END;",
            "UPDATE inbox SET subject = ''", says: [.warning]),
    ]

    @Test(arguments: replacing) func rowsAreDeletedOrChanged(_ it: LintCase) async throws {
        try await it.check(.destructiveUndeclared)
        let database = try PlainDatabase()
        try database.execute(
            "PRAGMA foreign_keys = \(it.tool == .d1 ? "ON" : "OFF");" + it.steps[0] + LintCase.rows)
        let tables = "SELECT * FROM account LEFT JOIN email ON email.account_id = account.id ORDER BY 1, 4"
        let before = try database.literals(tables)
        try database.execute(it.steps[1])
        #expect(try database.literals(tables) != before)
        // A child's rows are deleted with the parent's, although the parent is created again.
        if it.tool == .d1 {
            #expect(
                try database.rows("SELECT count(*) FROM email WHERE account_id = 1") { $0.integer(0) } == [0])
        }
    }

    @Test(arguments: [
        LintCase("declared", "-- drydock: rewrites account\nREPLACE INTO account(id, email) VALUES (1, 'z')"),
        LintCase("without a key", schema: "CREATE TABLE t(a)", "REPLACE INTO t VALUES (1)"),
        LintCase(
            "of a new id", schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)",
            "REPLACE INTO t(a) VALUES (1)"),
        LintCase("a table of its own", "CREATE TABLE a(x PRIMARY KEY); REPLACE INTO a VALUES (1)"),
        LintCase("OR IGNORE", "INSERT OR IGNORE INTO account(id, email) VALUES (1, 'z')"),
        LintCase("DO NOTHING", "INSERT INTO account(id, email) VALUES (1, 'a@x') ON CONFLICT(id) DO NOTHING"),
        LintCase(
            "an upsert of a new column",
            "ALTER TABLE account ADD COLUMN z; INSERT INTO account(id, email) VALUES (1, 'a@x') ON CONFLICT(id) DO UPDATE SET z = 1"
        ),
        LintCase(
            "a declared upsert",
            "-- drydock: rewrites account.name\nINSERT INTO account(id, email) VALUES (1, 'a@x') ON CONFLICT(id) DO UPDATE SET name = 'z'"
        ),
        LintCase(
            "another trigger of the view",
            schema: LintCase.mail
                + "CREATE TRIGGER v INSTEAD OF DELETE ON inbox BEGIN DELETE FROM email; END; CREATE TRIGGER w INSTEAD OF INSERT ON inbox BEGIN INSERT INTO email(account_id) VALUES (1); END;",
            "INSERT INTO inbox(subject) VALUES ('a')"),
    ]) func nothingIsLost(_ it: LintCase) async throws { try await it.check(.destructiveUndeclared) }
}
