import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct GolangMigrateFormatTests {
    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await GolangMigrateProject.project.verify()
        report.expectNothing()
        #expect(report.steps == ["2", "3"])
        #expect(report.replays[0].from == "1")
    }

    @Test func lossIsFound() async throws {
        try await GolangMigrateProject.project.with("000003_index.up.sql", ToolProject.loss).verify().expect(
            errors: [
                .rowsLost
            ])
    }

    /// The drivers leave foreign keys off, so that a rebuild inside the transaction does not cascade.
    @Test func foreignKeysAreOff() async throws {
        let project = GolangMigrateProject.project.with("000003_index.up.sql", ToolProject.rebuild)
        try await project.verify().expectNothing()
        let report = try await project.verify { $0.migrations.options.foreignKeys = true }
        #expect(report.rules(.error).contains(.rowsLost))
        #expect(try report.finding(.pragmaIgnored).severity == .error)
    }

    @Test func versionsAreNumbers() async throws {
        let project = ToolProject(
            files: [
                "1_people..up.sql": ToolProject.one, "2_born.up.sql": ToolProject.two,
                "10_index.up.sql": ToolProject.three,
                "11_nothing.up.sql": "", "12_back.down.sql": "SELECT 1;",
            ], history: GolangMigrateProject.history)
        let report = try await project.verify()
        report.expectNothing()
        #expect(report.steps == ["2", "10", "11", "12"])
    }

    @Test func aDirtyDatabaseIsRefused() async throws {
        var project = GolangMigrateProject.project
        project.history += "UPDATE schema_migrations SET dirty = 1;"
        let report = try await project.verify()
        report.expect(errors: [.migrationFailed])
        #expect(
            try report.finding(.migrationFailed).message.hasSuffix("it is dirty: version 1 failed halfway"))
        #expect(report.steps.isEmpty)
    }

    @Test func twoFilesOfOneVersionAreRefused() async throws {
        let report = try await GolangMigrateProject.project.with("2_again.up.sql", "SELECT 1;").verify()
        #expect(report.rules(.error) == [.migrationFailed])
        #expect(report.faults[0].contains("two migrations are called '2'"))
        #expect(report.faults[0].contains("000002_born.up.sql"))
    }

    /// taproot-assets and others run with x-no-tx-wrap, which no file says.
    @Test func filesWithTheirOwnTransactionNameTheSetting() async throws {
        let project = GolangMigrateProject.project.with(
            "000003_index.up.sql", "BEGIN;\n" + ToolProject.three + "COMMIT;\n")
        let report = try await project.verify()
        let findings = report.findings.filter { [.migrationFailed, .transactionEnded].contains($0.rule) }
        #expect(findings.count == 3)
        for finding in findings {
            #expect(finding.help.contains("x-no-tx-wrap=true"))
            #expect(finding.help.contains("'transaction: none' in drydock.yml"))
        }
        try await project.verify { $0.migrations.options.transaction = ToolPolicy.Transaction.none }
            .expectNothing()
        let committed = try await GolangMigrateProject.project.with(
            "000003_index.up.sql", ToolProject.three + "COMMIT;\n"
        )
        .verify()
        #expect(try committed.finding(.transactionEnded).help.contains("'transaction: none' in drydock.yml"))
    }

    /// A file's own BEGIN and COMMIT are run, and the tool's COMMIT then finds no transaction.
    @Test func aFileMayBeginWithCommit() async throws {
        let whole = "COMMIT;\n" + ToolProject.rebuild + "BEGIN;\n"
        let balanced = try await GolangMigrateProject.project.with("000003_index.up.sql", whole).verify {
            $0.migrations.options.foreignKeys = true
        }
        balanced.expect(warnings: [.transactionEnded])
        let open = try await GolangMigrateProject.project.with(
            "000003_index.up.sql", "COMMIT;\n" + ToolProject.three
        )
        .verify()
        open.expect(errors: [.migrationFailed, .transactionEnded], notChecked: [.schemaMismatch])
        #expect(open.faults.contains { $0.contains("no transaction is active") })
    }

    @Test func withoutATransaction() async throws {
        let project = GolangMigrateProject.project.with("000003_index.up.sql", ToolProject.rebuild)
        try await project.verify {
            $0.migrations.options.transaction = ToolPolicy.Transaction.none
            $0.migrations.options.foreignKeys = true
        }.expectNothing()
    }
}
