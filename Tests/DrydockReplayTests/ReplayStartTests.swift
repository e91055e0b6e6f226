import Drydock
import Testing

@testable import DrydockTestSupport

/// The description of a snapshot that has applied no migration of the folder.
@Suite struct ReplayStartTests {
    private func report(
        _ schema: String, _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> Report {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", "CREATE TABLE b(y)")
        try folder.write("base.sql", "CREATE TABLE a(x);")
        try folder.write("Snapshots/.keep", "")
        try PlainDatabase(folder.file("Snapshots/a.sqlite")).execute(schema)
        return try await folder.verify {
            if schema.contains("-- base") {
                $0.migrations.options.base = SchemaBase(path: folder.file("base.sql"))
            }
            configure(&$0)
        }
    }

    private let history = "CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);"

    @Test func aSnapshotWithoutTables() async throws {
        #expect(try await report("PRAGMA user_version = 0").replays[0].start == .empty)
        #expect(try await report(history).replays[0].start == .empty)
    }

    @Test func aSnapshotWithTables() async throws {
        let a = "CREATE TABLE a(x); INSERT INTO a VALUES (1);"
        #expect(try await report(history + a).replays[0].start == .unknown)
        let applied = "INSERT INTO grdb_migrations VALUES ('v0');"
        #expect(try await report(history + a + applied).replays[0].start == .unknown)
        #expect(try await report(a + "-- base").replays[0].start == .base)
    }
}
