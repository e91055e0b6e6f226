import Drydock
import Testing

@Suite struct AutoincrementRuleTests {
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
    ])
    func marks(_ it: RuleCase) async throws { try await it.check() }

    @Test func theFindingNamesTheNextIDs() async throws {
        let report = try await Scenario(Mail.schema, rows: Mail.rows, steps: Mail.rebuild(mark: "")).verify()
        let finding = try report.finding(.autoincrementReset)
        #expect(finding.message.hasPrefix("the next id of email falls from 10 to 4"))
        #expect(finding.help.contains("INSERT INTO sqlite_sequence(name, seq) SELECT"))
        #expect(finding.table == "email")
    }
}
