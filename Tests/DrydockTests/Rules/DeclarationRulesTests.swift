import Drydock
import Testing

/// `invalid-declaration` and `unused-declaration`.
@Suite struct DeclarationRulesTests {
    @Test(arguments: [
        RuleCase("a misspelt verb", "-- drydock: dorps table log\nSELECT 1", errors: [.invalidDeclaration]),
        RuleCase(
            "a table that is not there", "-- drydock: drops table lgo\nSELECT 1",
            errors: [.invalidDeclaration]),
        RuleCase(
            "a column that is not there", "-- drydock: drops column email.sendr\nSELECT 1",
            errors: [.invalidDeclaration]),
        RuleCase(
            "an index that is not there", "-- drydock: drops index email_on_acount\nSELECT 1",
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
            "a rewriting in a table that is not there before", "-- drydock: rewrites nowhere.x\nSELECT 1",
            errors: [.invalidDeclaration]),
        RuleCase(
            "a renaming that an ALTER says already",
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

    @Test func aFindingIsSaidOnceForAllSnapshots() async throws {
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
            $0.declarations = [
                "v2": [
                    .init(
                        kind: .deletes(table: "setting", condition: nil), text: "",
                        place: .init(file: "drydock.yml"))
                ]
            ]
        }
        report.expectNothing()
    }

    @Test func aDeclarationForAnUnknownMigrationIsNoRequest() async throws {
        let scenario = Scenario(Mail.schema, rows: Mail.rows, steps: "SELECT 1")
        await #expect(throws: RequestError.self) {
            try await scenario.verify { $0.declarations = ["v22": []] }
        }
    }
}
