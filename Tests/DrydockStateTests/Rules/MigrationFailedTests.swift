import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct MigrationFailedTests {
    @Test(arguments: [
        RuleCase(
            "a unique index over duplicates", "CREATE UNIQUE INDEX u ON log(at)", errors: [.migrationFailed]),
        RuleCase(
            "NOT NULL without a default", "ALTER TABLE email ADD COLUMN folder TEXT NOT NULL",
            errors: [.migrationFailed]),
        RuleCase("a syntax error", "ALTER TABEL email ADD COLUMN x", errors: [.migrationFailed]),
        RuleCase(
            "double-quoted text, which GRDB turns off", "UPDATE log SET line = \"x\"",
            errors: [.migrationFailed]),
        RuleCase(
            "a function that the app registers", "UPDATE log SET line = slug(line)",
            errors: [.migrationFailed]),
        RuleCase("a table that does not exist", "DROP TABLE nowhere", errors: [.migrationFailed]),
        RuleCase(
            "its losses were rolled back and are not reported",
            "DELETE FROM email; DROP TABLE log; SELECT nothing()", errors: [.migrationFailed]),
        RuleCase(
            "losses of an earlier step are reported", "DELETE FROM log WHERE line = 'b'", "SELECT nothing()",
            errors: [.rowsLost, .migrationFailed]),
        RuleCase(
            "a comment that ALTER copies into the table", "ALTER TABLE log ADD COLUMN x TEXT -- free text",
            errors: [.migrationFailed]),
        RuleCase("VACUUM, which no transaction allows", "VACUUM", errors: [.migrationFailed]),
    ])
    func failures(_ it: RuleCase) async throws {
        let report = try await it.scenario.verify()
        #expect(report.rules(.error) == it.errors.inOrder, "\(report.findings.map(\.line))")
        #expect(report.rules(.warning).isEmpty)
        // Neither the schema nor idempotence was checked.
        #expect(report.notChecked.contains { $0.rule == .schemaMismatch })
    }

    @Test func nothingRunsAfterIt() async throws {
        let report = try await Scenario(
            Mail.schema, rows: Mail.rows, steps: "ALTER TABLE log ADD COLUMN x", "SELECT nothing()",
            "DELETE FROM log"
        ).verify()
        #expect(report.replays[0].steps.map(\.migration) == ["v2"])
        #expect(report.replays[0].to == "v2")
        #expect(report.rules(.error) == [.migrationFailed])
    }

    @Test func thePlaceIsThatOfTheFaultInTheStatement() async throws {
        let report = try await Scenario(
            Mail.schema, rows: Mail.rows, steps: "SELECT 1;\n\nSELECT id,\n  subjekt FROM email;"
        ).verify()
        let finding = try report.finding(.migrationFailed)
        #expect(finding.message == "v2 fails: no such column: subjekt; did you mean 'subject'?")
        #expect((finding.place?.line, finding.place?.column) == (4, 3))
        #expect(finding.place?.lineText == "  subjekt FROM email;")
        #expect(finding.migration == "v2")
    }

    @Test(arguments: [
        ("UPDATE log SET line = \"it's\" WHERE at = 1", "write 'it''s' in single quotes"),
        ("CREATE INDEX i ON log(\"oh\")", "write 'oh' in single quotes"),
        ("SELECT \"line\", oh FROM log", "The whole migration was rolled back"),
        ("SELECT \"at\", [oh] FROM log", "The whole migration was rolled back"),
    ]) func textInDoubleQuotesIsDistinguishedFromAName(_ sql: String, _ help: String) async throws {
        let finding = try await Scenario(Mail.schema, rows: Mail.rows, steps: sql).verify()
            .finding(.migrationFailed)
        #expect(finding.message.contains("no such column") && finding.help.contains(help), "\(finding.help)")
    }

    @Test func tagsDistinguishDataFromSyntax() async throws {
        let data = try await Scenario(Mail.schema, rows: Mail.rows, steps: "CREATE UNIQUE INDEX u ON log(at)")
            .verify().finding(.migrationFailed)
        #expect(data.tags == [.dataDependent])
        #expect(data.help.contains("Give all but one of them another value first"))
        let syntax = try await Scenario(
            Mail.schema, rows: Mail.rows, steps: "CREATE UNIQUE INDEX u ON log(oh)"
        )
        .verify().finding(.migrationFailed)
        #expect(syntax.tags == [.freshInstall])
    }

    @Test func aMissingFunctionIsProposedAndAStandInRunsIt() async throws {
        let scenario = Scenario(
            Mail.schema, rows: Mail.rows,
            steps: "-- drydock: rewrites log.line\nUPDATE log SET line = slug(line)")
        let finding = try await scenario.verify().finding(.migrationFailed)
        #expect(finding.help.contains("slug: {returns: null}"))
        let report = try await scenario.verify {
            $0.migrations.functions = [.init(name: "slug", argumentCount: 1, result: .argument(0))]
        }
        #expect(report.rules(.error).isEmpty)
    }

    @Test func aMissingCollationIsProposedAndAStandInRunsIt() async throws {
        let scenario = Scenario(
            Mail.schema, rows: Mail.rows, steps: "CREATE INDEX i ON log(line COLLATE pinyin)")
        let finding = try await scenario.verify().finding(.migrationFailed)
        #expect(finding.help.contains("pinyin: nocase"))
        let report = try await scenario.verify {
            $0.migrations.collations = [.init(name: "pinyin", order: .nocase)]
        }
        report.expectNothing()
    }

    @Test func codeOfTheSameVersionIsNamed() async throws {
        let project = GolangMigrateProject.project
            .with("000003_index.up.sql", "CREATE TABLE t(a NOT NULL); INSERT INTO t VALUES (NULL);")
            .with("3_premigrate.go", "package migrations").with("4_other.go", "package migrations")
            .with("3_x_test.go", "package migrations")
        let help = try await project.verify().finding(.migrationFailed).help
        #expect(help.contains("3_premigrate.go beside it is code of the same version"), "\(help)")
        #expect(!help.contains("4_other.go") && !help.contains("_test"))
    }
}
