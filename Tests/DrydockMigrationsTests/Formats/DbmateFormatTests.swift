import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct DbmateFormatTests {
    private func with(_ text: String) -> ToolProject {
        DbmateProject.project.with("20240103_index.sql", text)
    }

    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await DbmateProject.project.verify()
        report.expectNothing()
        #expect(report.steps == ["20240102", "20240103"])
    }

    @Test func theWayBackIsNotRun() async throws {
        try await with("-- migrate:up\nSELECT 1;\n-- migrate:down\n" + ToolProject.loss).verify()
            .expectNothing()
        try await with(DbmateProject.file(ToolProject.loss)).verify().expect(errors: [.rowsLost])
    }

    @Test func aFileOptsOutOfItsTransaction() async throws {
        try await with(DbmateProject.file(ToolProject.rebuild, options: " transaction:false")).verify {
            $0.migrations.options.foreignKeys = true
        }.expectNothing()
    }

    @Test(arguments: [
        ("SELECT 1;\n-- migrate:up\n", "20240103_index.sql:1: a statement comes before '-- migrate:up'"),
        ("-- migrate:down\n-- migrate:up\n", "20240103_index.sql:1: '-- migrate:down' comes before"),
        ("-- migrate:up\n-- migrate:upp\n", "20240103_index.sql:2: 'migrate:upp' is not a marker"),
        ("-- migrate:up\n-- migrate:up\n", "20240103_index.sql:2: '-- migrate:up' is there twice"),
    ])
    func brokenFiles(_ text: String, _ told: String) async throws {
        let report = try await with(text).verify()
        #expect(report.rules(.error) == [.migrationFailed])
        #expect(report.faults.first?.hasPrefix(told) == true, "\(report.faults)")
    }
}
