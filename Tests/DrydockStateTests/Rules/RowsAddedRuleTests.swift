import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct RowsAddedRuleTests {
    @Test(arguments: [
        RuleCase(
            "a row in a table that existed", "INSERT INTO account VALUES (4, 'd@example.org', 'D')",
            warnings: [.rowsAdded]),
        RuleCase("in a table that was empty", "INSERT INTO blank VALUES (1, 'x')", warnings: [.rowsAdded]),
        RuleCase("in a table without a key", "INSERT INTO log VALUES ('1', 'a')", warnings: [.rowsAdded]),
        RuleCase("in a table that the step made", "CREATE TABLE fresh(a); INSERT INTO fresh VALUES (1)"),
        RuleCase(
            "in a table that an earlier step made", "CREATE TABLE fresh(a)", "INSERT INTO fresh VALUES (1)",
            warnings: [.rowsAdded]),
        RuleCase(
            "copied into a table that was empty", "INSERT INTO blank SELECT rowid, line FROM log",
            notes: [.rowsAdded]),
        RuleCase(
            "copied into a table that was not", "INSERT INTO log SELECT code, size FROM stamp",
            warnings: [.rowsAdded]),
        RuleCase(
            "copied and made up",
            "INSERT INTO blank SELECT rowid, line FROM log; INSERT INTO blank VALUES (99, 'x')",
            warnings: [.rowsAdded]),
        RuleCase(
            "selected from nothing", "INSERT INTO blank SELECT 1, 'x'", warnings: [.rowsAdded]),
        RuleCase("declared", "-- drydock: inserts into blank\nINSERT INTO blank VALUES (1, 'x')"),
        RuleCase(
            "a list is declared",
            "-- drydock: inserts into blank, log\nINSERT INTO blank VALUES (1, 'x'); INSERT INTO log VALUES (7, 7)"
        ),
        RuleCase(
            "a different one is declared", "-- drydock: inserts into log\nINSERT INTO blank VALUES (1, 'x')",
            warnings: [.rowsAdded, .unusedDeclaration]),
        RuleCase(
            "by a trigger",
            "CREATE TRIGGER noted AFTER UPDATE ON stamp BEGIN INSERT INTO log VALUES (new.code, 'u'); END; UPDATE stamp SET size = size",
            warnings: [.rowsAdded]),
        RuleCase(
            "a rebuild that copies rows twice",
            "CREATE TABLE new(at TEXT, line); INSERT INTO new SELECT * FROM log; INSERT INTO new SELECT * FROM log; DROP TABLE log; ALTER TABLE new RENAME TO log",
            warnings: [.rowsAdded]),
        RuleCase("the history table is not the app's", "SELECT 1"),
    ])
    func additions(_ it: RuleCase) async throws { try await it.check() }

    @Test func warningsFailWhereTheyAreStrict() async throws {
        let scenario = Scenario(Mail.schema, rows: Mail.rows, steps: "INSERT INTO blank VALUES (7, 'x')")
        let lenient = try await scenario.verify()
        #expect(lenient.hasPassed)
        let strict = try await scenario.verify { $0.isStrict = true }
        #expect(!strict.hasPassed)
        let finding = try strict.finding(.rowsAdded)
        #expect(finding.message == "1 row appeared in blank")
        #expect(finding.evidence?.rows.first?.key.first?.value.literal == "7")
        #expect(finding.place?.statement == "INSERT INTO blank VALUES (7, 'x')")
        #expect(finding.help.contains("-- drydock: inserts into blank"))
    }
}
