import Drydock
import GRDBEngine
import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport

/// Generated rows of tables that have one name, one after the other.
struct RepeatedNameTests {
    @Test func `they share no key`() async throws {
        let rebuild = [
            "CREATE TABLE _flow_tmp (id TEXT PRIMARY KEY, v TEXT NOT NULL);",
            "-- drydock: inserts into _flow_tmp\nINSERT INTO _flow_tmp (id, v) SELECT id, v FROM flow;",
            "DROP TABLE flow;", "ALTER TABLE _flow_tmp RENAME TO flow;",
        ]
        let migrations =
            ["CREATE TABLE flow (id TEXT PRIMARY KEY, v TEXT NOT NULL);"] + rebuild + rebuild + rebuild
        let folder = try TemporaryFolder()
        for (index, sql) in migrations.enumerated() {
            try folder.write("Migrations/v\(index + 1).sql", sql)
        }
        let report = try await folder.verify(GRDBDriver()) { $0.snapshots.isFolderNamed = false }
        #expect(report.findings.filter { $0.severity == .error }.map(\.message) == [])
        #expect(report.replays.map(\.steps.count) == [migrations.count])
    }
}
