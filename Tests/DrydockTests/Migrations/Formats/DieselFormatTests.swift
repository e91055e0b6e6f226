import Drydock
import Testing

@Suite struct DieselFormatTests {
    static let project = ToolProject(
        files: [
            "2024-01-01-000000_people/up.sql": ToolProject.one,
            "2024-01-01-000000_people/down.sql": "DROP TABLE pet; DROP TABLE person;",
            "2024-01-02-000000_born year/up.sql": ToolProject.two,
            "2024-01-02-000000_born year/down.sql": "ALTER TABLE person DROP COLUMN born;",
            "2024-01-03-000000_index/up.sql": ToolProject.three,
            "2024-01-03-000000_index/down.sql": "-- nothing",
        ],
        history: """
            CREATE TABLE __diesel_schema_migrations(version VARCHAR(50) PRIMARY KEY NOT NULL,
              run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
            INSERT INTO __diesel_schema_migrations(version) VALUES ('20240101000000');
            """)

    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await Self.project.verify()
        report.expectNothing()
        #expect(report.steps == ["20240102000000", "20240103000000"])
    }

    @Test func metadataOptsOutOfTheTransaction() async throws {
        let project = Self.project.with("2024-01-03-000000_index/up.sql", ToolProject.rebuild)
        let wrapped = try await project.verify { $0.format.foreignKeys = true }
        #expect(wrapped.rules(.error) == [.pragmaIgnored, .rowsLost])
        let open = project.with("2024-01-03-000000_index/metadata.toml", "run_in_transaction = false\n")
        try await open.verify { $0.format.foreignKeys = true }.expectNothing()
    }

    @Test func anEmptyFileIsANote() async throws {
        let report = try await Self.project.with("2024-01-03-000000_index/up.sql", "").verify()
        report.expectNothing()
        #expect(report.steps.count == 2)
    }

    @Test func waysBackAreTriedAndEmptyOnesAreListed() async throws {
        let report = try await Self.project.verify { $0.checksRollback = true }
        report.expect(notChecked: [.rollbackMismatch])
        #expect(report.notChecked[0].reason.contains("20240103000000 holds no statement"))
    }

    @Test func declarationsAreReadFromTheConfiguration() async throws {
        let project = Self.project.with("2024-01-03-000000_index/up.sql", ToolProject.loss)
        try await project.verify().expect(errors: [.rowsLost])
        for name in ["20240103000000", "2024-01-03-000000_index"] {
            try await project.verify { request in
                guard
                    case .success(let declarations) = Declaration.parse(
                        "deletes from pet where id = 2", place: .init(file: "drydock.yml"), migration: name)
                else { return }
                request.declarations = [name: declarations]
            }.expectNothing()
        }
    }
}
