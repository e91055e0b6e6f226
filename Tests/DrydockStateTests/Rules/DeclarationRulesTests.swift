import Drydock
import Testing

@testable import DrydockTestSupport

/// `invalid-declaration` and `unused-declaration`.
@Suite struct DeclarationRulesTests {
    @Test(arguments: [
        RuleCase("a misspelt verb", "-- drydock: dorps table log\nSELECT 1", errors: [.invalidDeclaration]),
        RuleCase(
            "a table that does not exist", "-- drydock: drops table lgo\nSELECT 1",
            errors: [.invalidDeclaration]),
        RuleCase(
            "a column that does not exist", "-- drydock: drops column email.sendr\nSELECT 1",
            errors: [.invalidDeclaration]),
        RuleCase(
            "an index that does not exist", "-- drydock: drops index email_on_acount\nSELECT 1",
            errors: [.invalidDeclaration]),
        RuleCase(
            "nothing lost the view", "-- drydock: drops view inbox\nSELECT 1", warnings: [.unusedDeclaration]),
        RuleCase(
            "nothing needed it", "-- drydock: drops table log\nSELECT 1", warnings: [.unusedDeclaration]),
        RuleCase(
            "each that nothing needed",
            "-- drydock: drops column email.snippet\n-- drydock: inserts into log\nSELECT 1",
            warnings: [.unusedDeclaration, .unusedDeclaration]),
        RuleCase(
            "a rewrite in a table that did not exist before", "-- drydock: rewrites nowhere.x\nSELECT 1",
            errors: [.invalidDeclaration]),
        RuleCase(
            "a rename that an ALTER already makes",
            "-- drydock: renames table setting to preference\nALTER TABLE setting RENAME TO preference",
            warnings: [.unusedDeclaration]),
        RuleCase(
            "preserves and foreign-keys are never unused",
            "-- drydock: foreign-keys immediate\n-- drydock: preserves select 1\nSELECT 1"),
        RuleCase(
            "an ordinary comment about drydock",
            "-- drydock is great; the word drydock: in a line is none\nSELECT 1"),
    ])
    func declarations(_ it: RuleCase) async throws { try await it.check() }

    /// `main` may precede each name, as in SQL.
    @Test(arguments: [
        RuleCase(
            "deletes from", "-- drydock: deletes from main.setting where name > ''\nDELETE FROM main.setting"),
        RuleCase("deletes all", "-- drydock: deletes from \"main\".[setting]\nDELETE FROM setting"),
        RuleCase("deletes from MAIN", "-- drydock: deletes from MAIN.setting\nDELETE FROM setting"),
        RuleCase(
            "the condition of a deletion still counts",
            "-- drydock: deletes from main.account where id = 3\nDELETE FROM main.account WHERE id = 3 OR id = 2 AND 0"
        ),
        RuleCase(
            "more rows than the condition says",
            "-- drydock: deletes from main.setting where 0\nDELETE FROM main.setting", errors: [.rowsLost],
            warnings: [.unusedDeclaration]),
        RuleCase("drops table", "-- drydock: drops table main.log\nDROP TABLE main.log"),
        RuleCase(
            "drops column",
            "-- drydock: drops column main.account.name\nDROP VIEW inbox; ALTER TABLE account DROP COLUMN name",
            warnings: []),
        RuleCase(
            "renames table",
            """
            -- drydock: renames table main.log to main.lines
            CREATE TABLE lines(at TEXT, line); INSERT INTO lines SELECT * FROM log; DROP TABLE log
            """),
        RuleCase(
            "renames column",
            """
            -- drydock: renames column main.log.line to main.log.words
            CREATE TABLE new(at TEXT, words); INSERT INTO new SELECT * FROM log; DROP TABLE log; ALTER TABLE new RENAME TO log
            """),
        RuleCase("rewrites", "-- drydock: rewrites main.log.line\nUPDATE log SET line = 'x'"),
        RuleCase("rewrites all", "-- drydock: rewrites main.log.*\nUPDATE log SET line = 'x'"),
        RuleCase("inserts into", "-- drydock: inserts into main.log\nINSERT INTO log VALUES (1, 2)"),
        RuleCase(
            "another schema", "-- drydock: deletes from temp.setting\nSELECT 1", errors: [.invalidDeclaration]
        ),
        RuleCase(
            "another schema and a column", "-- drydock: rewrites aux.log.line\nSELECT 1",
            errors: [.invalidDeclaration]),
        RuleCase(
            "a column where a table is expected", "-- drydock: deletes from log.line\nSELECT 1",
            errors: [.invalidDeclaration]),
        RuleCase(
            "no table after the schema", "-- drydock: deletes from main.\nSELECT 1",
            errors: [.invalidDeclaration]),
    ])
    func schemaNamesAreAccepted(_ it: RuleCase) async throws { try await it.check() }

    @Test func aTableCalledMainIsNotASchema() async throws {
        let schema = "CREATE TABLE main(id INTEGER PRIMARY KEY, a);"
        let rows = "INSERT INTO main VALUES (1, 2);"
        for declaration in ["rewrites main.a", "rewrites main.main.a", "rewrites main"] {
            try await RuleCase(
                declaration, "-- drydock: \(declaration)\nUPDATE main SET a = 3", schema: schema, rows: rows
            ).check()
        }
    }

    @Test func aTableAfterItsSchemaIsReadAsAColumn() async throws {
        let finding = try await Scenario(
            Mail.schema, rows: Mail.rows, steps: "-- drydock: rewrites main.log\nUPDATE log SET line = 'x'"
        ).verify().finding(.invalidDeclaration)
        #expect(finding.help == "Did you mean 'log.*'?")
    }

    @Test func theNearestNameIsProposed() async throws {
        let finding = try await Scenario(
            Mail.schema, rows: Mail.rows, steps: "SELECT 1;\n-- drydock: drops column email.sendr"
        ).verify().finding(.invalidDeclaration)
        #expect(finding.help == "Did you mean 'sender'?")
        #expect(finding.place?.line == 2)
        #expect(finding.migration == "v2")
    }

    @Test func oneSnapshotThatNeedsItIsEnough() async throws {
        let scenario = Scenario(
            Mail.schema, rows: Mail.rows, steps: "-- drydock: deletes from setting\nDELETE FROM setting")
        let folder = try scenario.write()
        var empty = scenario
        empty.rows = ""
        try empty.makeSnapshot(folder.file("Snapshots/empty.sqlite"))
        try await folder.verify().expectNothing()
    }

    @Test func aFindingIsReportedOnceForAllSnapshots() async throws {
        let scenario = Scenario(Mail.schema, rows: Mail.rows, steps: "-- drydock: drops table lgo\nSELECT 1")
        let folder = try scenario.write()
        try scenario.makeSnapshot(folder.file("Snapshots/second.sqlite"))
        try await folder.verify().expect(errors: [.invalidDeclaration])
    }

    @Test func theRemedyForAReleasedMigrationIsTheConfigurationFile() async throws {
        let scenario = Scenario(Mail.schema, rows: Mail.rows, steps: "DELETE FROM setting", "SELECT 1")
        let folder = try scenario.write()
        var later = scenario
        later.at = 2
        try later.makeSnapshot(folder.file("Snapshots/later.sqlite"))
        let help = try await folder.verify().finding(.rowsLost).help
        #expect(!help.contains("-- drydock:"))
        #expect(help.contains("declarations:\n    v2:\n      - deletes from setting where CONDITION"))
    }

    @Test func theConfigurationFilesDeclarationsCount() async throws {
        let scenario = Scenario(Mail.schema, rows: Mail.rows, steps: "DELETE FROM setting")
        let report = try await scenario.verify {
            $0.migrations.declarations = [
                "v2": [
                    .init(
                        kind: .deletes(table: "setting", condition: nil), text: "",
                        place: .init(file: "drydock.yml"))
                ]
            ]
        }
        report.expectNothing()
    }

    @Test func aDeclarationForAnUnknownMigrationIsRefused() async throws {
        let scenario = Scenario(Mail.schema, rows: Mail.rows, steps: "SELECT 1")
        await #expect(throws: RequestError.self) {
            try await scenario.verify { $0.migrations.declarations = ["v22": []] }
        }
    }
}
