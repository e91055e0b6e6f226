import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct DieselFormatTests {
    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await DieselProject.project.verify()
        report.expectNothing()
        #expect(report.steps == ["20240102000000", "20240103000000"])
    }

    @Test func metadataOptsOutOfTheTransaction() async throws {
        let project = DieselProject.project.with("2024-01-03-000000_index/up.sql", ToolProject.rebuild)
        let wrapped = try await project.verify { $0.migrations.options.foreignKeys = true }
        #expect(wrapped.rules(.error) == [.pragmaIgnored, .rowsLost])
        let open = project.with("2024-01-03-000000_index/metadata.toml", "run_in_transaction = false\n")
        try await open.verify { $0.migrations.options.foreignKeys = true }.expectNothing()
    }

    @Test func anEmptyFileIsANote() async throws {
        let report = try await DieselProject.project.with("2024-01-03-000000_index/up.sql", "").verify()
        report.expectNothing()
        #expect(report.steps.count == 2)
    }

    @Test func waysBackAreTriedAndEmptyOnesAreListed() async throws {
        let report = try await DieselProject.project.verify { $0.checks.rollback = true }
        report.expect(notChecked: [.rollbackMismatch])
        #expect(report.notChecked[0].reason.contains("20240103000000 holds no statement"))
    }

    @Test func declarationsAreReadFromTheConfiguration() async throws {
        let project = DieselProject.project.with("2024-01-03-000000_index/up.sql", ToolProject.loss)
        try await project.verify().expect(errors: [.rowsLost])
        for name in ["20240103000000", "2024-01-03-000000_index"] {
            try await project.verify { request in
                guard
                    case .success(let declarations) = Declaration.parse(
                        "deletes from pet where id = 2", place: .init(file: "drydock.yml"), migration: name)
                else { return }
                request.migrations.declarations = [name: declarations]
            }.expectNothing()
        }
    }
}
