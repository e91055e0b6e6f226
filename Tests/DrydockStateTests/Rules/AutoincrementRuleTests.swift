import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct AutoincrementRuleTests {
    private static let ids = "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT, x);"
    private static let deleted = "INSERT INTO n VALUES (1, 'a'), (7, 'b'); DELETE FROM n WHERE id = 7;"
    private static let copy =
        "CREATE TABLE new(id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO new SELECT * FROM n; "

    @Test(arguments: [
        RuleCase("a rebuild that takes the mark along", Mail.rebuild()),
        RuleCase("a rebuild that forgets it", Mail.rebuild(mark: ""), errors: [.autoincrementReset]),
        RuleCase(
            "a rebuild without AUTOINCREMENT",
            Mail.rebuild(definition: Mail.email.replacing("AUTOINCREMENT", with: ""), mark: ""),
            errors: [.autoincrementReset]),
        RuleCase(
            "the mark lowered", "UPDATE sqlite_sequence SET seq = 5 WHERE name = 'email'",
            errors: [.autoincrementReset]),
        RuleCase("the mark raised", "UPDATE sqlite_sequence SET seq = 50 WHERE name = 'email'"),
        RuleCase("the mark deleted", "DELETE FROM sqlite_sequence", errors: [.autoincrementReset]),
        RuleCase(
            "the mark deleted where it equals the highest id",
            "DELETE FROM sqlite_sequence", schema: "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT);",
            rows: "INSERT INTO n VALUES (1), (7);"),
        RuleCase(
            "the mark lowered to the highest row",
            "UPDATE sqlite_sequence SET seq = 2",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT);",
            rows: "INSERT INTO n VALUES (1), (7);"),
        RuleCase(
            "the highest row deleted, the mark stays",
            "-- drydock: deletes from n\nDELETE FROM n WHERE id = 7",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT);",
            rows: "INSERT INTO n VALUES (1), (7);"),
        RuleCase(
            "every row deleted, the mark stays", "-- drydock: deletes from n\nDELETE FROM n",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT);",
            rows: "INSERT INTO n VALUES (1), (7);"),
        RuleCase(
            "the highest row and the mark deleted",
            "-- drydock: deletes from n\nDELETE FROM n WHERE id = 7; UPDATE sqlite_sequence SET seq = 1",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT);",
            rows: "INSERT INTO n VALUES (1), (7);",
            errors: [.autoincrementReset]),
        RuleCase(
            "of a table that was emptied long ago",
            "CREATE TABLE new(id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO new SELECT id, 1 FROM n; DROP TABLE n; ALTER TABLE new RENAME TO n",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT);",
            rows: "INSERT INTO n VALUES (7); DELETE FROM n;",
            errors: [.autoincrementReset]),
        RuleCase("declared", "-- drydock: rewrites sqlite_sequence\n" + Mail.rebuild(mark: "")),
        RuleCase(
            "repaired by a later step, a warning", Mail.rebuild(mark: ""),
            "UPDATE sqlite_sequence SET seq = 9 WHERE name = 'email'", warnings: [.autoincrementReset]),
        RuleCase(
            "not repaired by a later step that raises it too little", Mail.rebuild(mark: ""),
            "UPDATE sqlite_sequence SET seq = 8 WHERE name = 'email'", errors: [.autoincrementReset]),
        RuleCase(
            "the table was renamed", "ALTER TABLE n RENAME TO m",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT);",
            rows: "INSERT INTO n VALUES (7); DELETE FROM n;"),
        RuleCase(
            "the table was dropped, declared", "-- drydock: drops table n\nDROP TABLE n",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT);", rows: "INSERT INTO n VALUES (7);"
        ),
        RuleCase(
            "without AUTOINCREMENT no id is kept", "-- drydock: deletes from n\nDELETE FROM n WHERE id = 7",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY);", rows: "INSERT INTO n VALUES (1), (7);"),
        RuleCase(
            "AUTOINCREMENT added by a rebuild",
            "CREATE TABLE new(id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO new SELECT id FROM n; DROP TABLE n; ALTER TABLE new RENAME TO n",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY);", rows: "INSERT INTO n VALUES (1), (7);"),
        RuleCase(
            "copied, dropped and renamed in a step each", copy, "DROP TABLE n", "ALTER TABLE new RENAME TO n",
            schema: ids, rows: deleted, errors: [.autoincrementReset], notes: [.tableDropped]),
        RuleCase(
            "copied, dropped and renamed in a step each, with the mark", copy,
            "UPDATE sqlite_sequence SET seq = 7 WHERE name = 'new'; DROP TABLE n",
            "ALTER TABLE new RENAME TO n",
            schema: ids, rows: deleted, notes: [.tableDropped]),
        RuleCase(
            "copied and dropped in one step, renamed in the next, the mark raised in the last",
            copy + "DROP TABLE n", "ALTER TABLE new RENAME TO n",
            "UPDATE sqlite_sequence SET seq = 7 WHERE name = 'n'", schema: ids, rows: deleted,
            notes: [.tableDropped]),
        RuleCase(
            "copied and dropped in one step, renamed in the next, the mark raised too little",
            copy + "DROP TABLE n", "ALTER TABLE new RENAME TO n",
            "UPDATE sqlite_sequence SET seq = 6 WHERE name = 'n'", schema: ids, rows: deleted,
            errors: [.autoincrementReset], notes: [.tableDropped]),
        RuleCase(
            "copied under another name and dropped", copy + "DROP TABLE n", schema: ids, rows: deleted,
            errors: [.autoincrementReset], notes: [.tableDropped]),
        RuleCase(
            "copied to a table without AUTOINCREMENT under another name",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, x); INSERT INTO new SELECT * FROM n; DROP TABLE n",
            schema: ids, rows: deleted, errors: [.autoincrementReset], notes: [.tableDropped]),
        RuleCase(
            "renamed away, created again and dropped in a step each", "ALTER TABLE n RENAME TO old",
            "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO n SELECT * FROM old",
            "DROP TABLE old", schema: ids, rows: deleted, errors: [.autoincrementReset],
            notes: [.tableDropped]),
        RuleCase(
            "renamed away and created again, with the mark", "ALTER TABLE n RENAME TO old",
            "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO n SELECT * FROM old;"
                + "UPDATE sqlite_sequence SET seq = 7 WHERE name = 'n'",
            "DROP TABLE old", schema: ids, rows: deleted, notes: [.tableDropped]),
        RuleCase(
            "of a table without rows, in a step each", copy, "DROP TABLE n", "ALTER TABLE new RENAME TO n",
            schema: ids, rows: deleted + "DELETE FROM n;", errors: [.autoincrementReset],
            warnings: [.tableDropped]),
        RuleCase(
            "copied to a table that gives new ids",
            """
            CREATE TABLE new(number INTEGER PRIMARY KEY AUTOINCREMENT, id, x);
            INSERT INTO new(id, x) SELECT id, x FROM n; DROP TABLE n
            """, schema: ids, rows: deleted, notes: [.tableDropped]),
        RuleCase(
            "copied and dropped, declared", "-- drydock: rewrites sqlite_sequence\n" + copy + "DROP TABLE n",
            schema: ids, rows: deleted, notes: [.tableDropped]),
        RuleCase(
            "copied to an archive and dropped, declared",
            "-- drydock: drops table n\n" + copy + "DROP TABLE n",
            schema: ids, rows: deleted),
        RuleCase(
            "put together with another table, a warning",
            """
            CREATE TABLE new(id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO new SELECT * FROM n;
            INSERT INTO new SELECT * FROM other; DROP TABLE n
            """, schema: ids + "CREATE TABLE other(id, x);",
            rows: deleted + "INSERT INTO other VALUES (2, 'b');",
            warnings: [.autoincrementReset], notes: [.tableDropped]),
    ])
    func marks(_ it: RuleCase) async throws { try await it.check() }

    @Test(arguments: [
        [
            "ALTER TABLE n RENAME TO old; CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO n SELECT * FROM old; REMEDY; DROP TABLE old"
        ],
        [
            "ALTER TABLE n RENAME TO old",
            "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO n SELECT * FROM old; REMEDY",
        ],
        [
            "CREATE TABLE \"a 'b\"(id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO \"a 'b\" SELECT * FROM n",
            "REMEDY; DROP TABLE n", "ALTER TABLE \"a 'b\" RENAME TO n",
        ],
        [
            "CREATE TABLE new(id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO new SELECT * FROM n; REMEDY; DROP TABLE n; ALTER TABLE new RENAME TO ids"
        ],
    ])
    func theRemedyTakesTheMarkAlong(_ steps: [String]) async throws {
        let broken = steps.map { $0.replacing("REMEDY", with: "") }
        let report = try await Scenario(Self.ids, rows: Self.deleted, steps: broken).verify()
        let remedy = try report.finding(.autoincrementReset).proposedSQL
        let better = steps.map { $0.replacing("REMEDY", with: remedy) }
        let second = try await Scenario(Self.ids, rows: Self.deleted, steps: better).verify()
        second.expect()
    }

    @Test func aKeyThatGivesOutNoIDsIsCalledThat() async throws {
        let step = "CREATE TABLE new(id INT PRIMARY KEY, x); INSERT INTO new SELECT * FROM n; DROP TABLE n; "
        let report = try await Scenario(
            Self.ids, rows: Self.deleted, steps: step + "ALTER TABLE new RENAME TO n"
        ).verify()
        let message = try report.finding(.autoincrementReset).message
        #expect(
            message
                == "n no longer generates ids, since its key is not INTEGER PRIMARY KEY: the next one was 8",
            "\(message)")
    }

    @Test func theFindingNamesTheNextIDs() async throws {
        let report = try await Scenario(Mail.schema, rows: Mail.rows, steps: Mail.rebuild(mark: "")).verify()
        let finding = try report.finding(.autoincrementReset)
        #expect(finding.message.hasPrefix("the next id of email falls from 10 to 4"))
        #expect(finding.help.contains("INSERT INTO sqlite_sequence(name, seq) SELECT"))
        #expect(finding.table == "email")
    }

    /// sqlite_sequence tells `Owner_new` from `owner_new`.
    @Test(arguments: [
        "CREATE TABLE \"Owner_New\"(id INTEGER PRIMARY KEY AUTOINCREMENT, x);\nINSERT INTO Owner_New SELECT * FROM Owner;\n%DROP TABLE Owner;\nALTER TABLE Owner_New RENAME TO Owner;",
        "ALTER TABLE Owner RENAME TO Owner_Old;\nCREATE TABLE Owner(id INTEGER PRIMARY KEY AUTOINCREMENT, x);\nINSERT INTO Owner SELECT * FROM Owner_Old;\n%DROP TABLE Owner_Old;",
        "CREATE TABLE Person(id INTEGER PRIMARY KEY AUTOINCREMENT, x);\nINSERT INTO Person SELECT * FROM Owner;\n%DROP TABLE Owner;",
    ]) func namesAreThoseOfTheFile(_ step: String) async throws {
        func scenario(_ mark: String) -> Scenario {
            Scenario(
                "CREATE TABLE Owner(id INTEGER PRIMARY KEY AUTOINCREMENT, x);",
                rows: "INSERT INTO Owner VALUES (1, 'a'), (7, 'b'); DELETE FROM Owner WHERE id = 7;",
                steps: step.replacing("%", with: mark))
        }
        let finding = try await scenario("").verify().finding(.autoincrementReset)
        let sql = finding.proposedSQL
        #expect(!sql.contains("'owner") && sql.contains("'Owner"), "\(sql)")
        let report = try await scenario(sql).verify()
        #expect(report.rules(.error).isEmpty, "\(sql)\n\(report.findings.map(\.line))")
    }
}
