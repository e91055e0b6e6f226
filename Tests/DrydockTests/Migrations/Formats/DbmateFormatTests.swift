import Drydock
import Testing

@Suite struct DbmateFormatTests {
    static func file(_ up: String, options: String = "") -> String {
        "-- migrate:up\(options)\n\(up)\n-- migrate:down\nSELECT 1;\n"
    }

    static let project = ToolProject(
        files: [
            "20240101_people.sql": file(ToolProject.one), "20240102_born.sql": file(ToolProject.two),
            "20240103_index.sql": file(ToolProject.three),
        ],
        history: """
            CREATE TABLE schema_migrations(version varchar(128) primary key);
            INSERT INTO schema_migrations VALUES ('20240101');
            """)

    private func with(_ text: String) -> ToolProject { Self.project.with("20240103_index.sql", text) }

    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await Self.project.verify()
        report.expectNothing()
        #expect(report.steps == ["20240102", "20240103"])
    }

    @Test func theWayBackIsNotRun() async throws {
        try await with("-- migrate:up\nSELECT 1;\n-- migrate:down\n" + ToolProject.loss).verify()
            .expectNothing()
        try await with(Self.file(ToolProject.loss)).verify().expect(errors: [.rowsLost])
    }

    @Test func aFileOptsOutOfItsTransaction() async throws {
        try await with(Self.file(ToolProject.rebuild, options: " transaction:false")).verify {
            $0.format.foreignKeys = true
        }.expectNothing()
    }

    @Test(arguments: [
        ("SELECT 1;\n-- migrate:up\n", "20240103_index.sql:1: a statement stands before '-- migrate:up'"),
        ("-- migrate:down\n-- migrate:up\n", "20240103_index.sql:1: '-- migrate:down' stands before"),
        ("-- migrate:up\n-- migrate:upp\n", "20240103_index.sql:2: 'migrate:upp' is not a marker"),
        ("-- migrate:up\n-- migrate:up\n", "20240103_index.sql:2: '-- migrate:up' stands twice"),
    ])
    func brokenFiles(_ text: String, _ told: String) async throws {
        let report = try await with(text).verify()
        #expect(report.rules(.error) == [.migrationFailed])
        #expect(report.faults.first?.hasPrefix(told) == true, "\(report.faults)")
    }
}
