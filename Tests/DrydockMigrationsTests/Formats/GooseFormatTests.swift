import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct GooseFormatTests {
    private func with(_ text: String) -> ToolProject { GooseProject.project.with("003_index.sql", text) }

    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await GooseProject.project.verify()
        report.expectNothing()
        #expect(report.steps == ["2", "3"])
    }

    @Test func lossIsFoundAtItsLine() async throws {
        let report = try await with(GooseProject.file("-- a comment\n" + ToolProject.loss)).verify()
        report.expect(errors: [.rowsLost])
        #expect(try report.finding(.rowsLost).place?.line == 3)
    }

    @Test func annotationsMayBeInLowerCase() async throws {
        let text = "-- +goose up\n" + ToolProject.loss + "-- +goose down\nSELECT 1;\n"
        try await with(text).verify().expect(errors: [.rowsLost])
    }

    @Test func aCommentMayFollowTheEndOfAStatement() async throws {
        try await with(GooseProject.file("CREATE INDEX pet_on_name ON pet(name); -- for the search\n"))
            .verify()
            .expectNothing()
    }

    @Test func aPlaceholderMayBeginWithAnother() async throws {
        let text = GooseProject.file("SELECT @tenant_id WHERE '@tenant' = 'a';\n")
        try await with(text).verify {
            $0.migrations.options.placeholders = ["@tenant": "a", "@tenant_id": "7"]
        }
        .expectNothing()
    }

    @Test func withoutATransaction() async throws {
        let text = GooseProject.file(ToolProject.rebuild, head: "-- +goose NO TRANSACTION\n")
        try await with(text).verify { $0.migrations.options.foreignKeys = true }.expectNothing()
        let wrapped = try await with(GooseProject.file(ToolProject.rebuild)).verify {
            $0.migrations.options.foreignKeys = true
        }
        #expect(wrapped.rules(.error) == [.pragmaIgnored, .rowsLost])
    }

    @Test func markersEncloseStatementsOfManyLines() async throws {
        let trigger = "CREATE TRIGGER t AFTER INSERT ON pet BEGIN\n  SELECT 1;\n  SELECT 2;\nEND;\n"
        let block = "-- +goose StatementBegin\n" + trigger + "-- +goose StatementEnd\n"
        try await with(GooseProject.file(block)).verify().expectNothing()
        // Without the markers goose cuts a trigger at the first ';', and so does the replay.
        let report = try await with(GooseProject.file(trigger)).verify()
        #expect(report.rules(.error).contains(.migrationFailed))
        #expect(report.faults.contains { $0.hasSuffix("incomplete input") })
    }

    @Test(arguments: [
        (
            "-- +goose Up\n-- +goose StatementBegin\nSELECT 1;\n",
            "003_index.sql:2: '-- +goose StatementBegin' has no StatementEnd"
        ),
        (
            "-- +goose Up\nSELECT 1;\n-- +goose StatementEnd\n",
            "003_index.sql:3: '-- +goose StatementEnd' has no StatementBegin"
        ),
        (
            "-- +goose Up\nSELECT 1;\n-- +goose Dawn\n",
            "003_index.sql:3: '+goose dawn' is not an annotation of goose"
        ),
        ("-- +goose Up\nSELECT 1\n", "003_index.sql:2: a statement has no ';'"),
        ("SELECT 1;\n-- +goose Up\n", "003_index.sql:1: a statement comes before '-- +goose Up'"),
        ("-- nothing\n", "003_index.sql:1: "),
        ("-- +goose Up\nSELECT 1;\n-- +goose Up\n", "003_index.sql:3: '-- +goose Up' is there twice"),
    ])
    func brokenFiles(_ text: String, _ told: String) async throws {
        let report = try await with(text).verify()
        #expect(report.rules(.error) == [.migrationFailed])
        #expect(report.faults.first?.hasPrefix(told) == true, "\(report.faults)")
        #expect(report.steps == ["2"])
    }

    @Test func aMissingMigrationStopsGoose() async throws {
        var project = GooseProject.project
        project.schema += ToolProject.three
        project.history += "INSERT INTO goose_db_version(version_id, is_applied) VALUES (3, 1);"
        let report = try await project.verify()
        report.expect(errors: [.migrationOutOfOrder])
        #expect(report.steps.isEmpty)
        #expect(try report.finding(.migrationOutOfOrder).message.contains("goose stops there"))
    }

    @Test func anUndoneMigrationIsPending() async throws {
        var project = GooseProject.project
        project.history += "INSERT INTO goose_db_version(version_id, is_applied) VALUES (2, 1), (2, 0);"
        #expect(try await project.verify().steps == ["2", "3"])
    }

    @Test func aMigrationInGoIsAGap() async throws {
        let project = GooseProject.project.with("002_born.sql", nil).with("002_born.go", "package migrations")
        let report = try await project.verify()
        report.expect(errors: [.migrationInCode], notChecked: [.schemaMismatch])
        #expect(try report.finding(.migrationInCode).help.contains("upgrade a copy"))
        #expect(report.replays[0].pendingCount == 2)
        let folder = try project.write()
        try PlainDatabase(folder.file("Snapshots/second.sqlite")).execute(
            ToolProject.one + ToolProject.two + GooseProject.history
                + "INSERT INTO goose_db_version(version_id, is_applied) VALUES (2, 1);")
        let bridged = try await folder.verify()
        bridged.expect(notChecked: [.schemaMismatch])
        #expect(bridged.steps == ["3"])
        #expect(try bridged.finding(.migrationInCode).message.contains("second.sqlite continues after it"))
    }
}
