import Drydock
import Testing

@testable import DrydockTestSupport

/// Tools that were told to keep their history in a table with another name.
@Suite struct NamedHistoryTests {
    /// A project, and the default name of its tool's table.
    struct Named: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var project: @Sendable () -> ToolProject
        var table: String
        var isKnownByColumns = true
    }

    static let all = [
        Named(
            testDescription: "goose", project: { GooseProject.project }, table: "goose_db_version"),
        Named(
            testDescription: "golang-migrate", project: { GolangMigrateProject.project },
            table: "schema_migrations"),
        Named(
            testDescription: "flyway", project: { FlywayProject.project }, table: "flyway_schema_history"),
        Named(
            testDescription: "refinery", project: { RefineryFormatTests.project },
            table: "refinery_schema_history"),
        Named(
            testDescription: "drizzle", project: { DrizzleProject.project },
            table: "__drizzle_migrations"),
        Named(
            testDescription: "dbmate", project: { DbmateProject.project }, table: "schema_migrations",
            isKnownByColumns: false),
        Named(
            testDescription: "d1", project: { D1Project.project }, table: "d1_migrations",
            isKnownByColumns: false),
    ]

    @Test(arguments: all)
    func theHistoryTableMayHaveAnotherName(_ it: Named) async throws {
        let usual = try await it.project().verify { $0.migrations.format = it.testDescription }
        var project = it.project()
        project.history = project.history.replacing("\"\(it.table)\"", with: it.table)
            .replacing(it.table, with: "\"done so\"")
        let byColumns = try await project.verify { $0.migrations.format = it.testDescription }
        if it.isKnownByColumns {
            #expect(byColumns.steps == usual.steps && !usual.steps.isEmpty)
            #expect(byColumns.rules(.error) == usual.rules(.error), "\(byColumns.faults)")
        } else {
            #expect(byColumns.rules(.error) == [.snapshotVersionUnknown])
            #expect(try byColumns.finding(.snapshotVersionUnknown).help.contains("'historyTable'"))
        }
        let named = try await project.verify {
            $0.migrations.format = it.testDescription
            $0.migrations.options.historyTable = "DONE so"
        }
        #expect(named.steps == usual.steps)
        #expect(named.rules(.error) == usual.rules(.error), "\(named.faults)")
    }

    @Test func theFolderAloneIsEnough() async throws {
        var project = GooseProject.project
        project.history = project.history.replacing("goose_db_version", with: "schema_migrations")
        let report = try await project.verify()
        report.expectNothing()
        #expect(report.migrationFormat == "goose" && report.steps == ["2", "3"])
    }

    @Test func oneOfTwoTablesWithTheColumnsMustBeNamed() async throws {
        var project = GooseProject.project
        project.history =
            project.history.replacing("goose_db_version", with: "one")
            + project.history.replacing("goose_db_version", with: "two")
        try await project.verify().expect(errors: [.snapshotVersionUnknown])
        #expect(try await project.verify { $0.migrations.options.historyTable = "two" }.steps == ["2", "3"])
    }

    @Test func aToolWithAFixedTableNameRefusesAnother() async throws {
        let refusal = try await SqlxProject.project.refusal {
            $0.migrations.format = "sqlx"
            $0.migrations.options.historyTable = "done"
        }
        #expect(refusal.contains("it keeps its history in _sqlx_migrations"))
        let custom = try await CustomFormatTests.project.refusal {
            $0.migrations.options.custom = CustomFormatTests.format
            $0.migrations.options.historyTable = "done"
        }
        #expect(custom.contains("custom: history: table"))
    }
}
