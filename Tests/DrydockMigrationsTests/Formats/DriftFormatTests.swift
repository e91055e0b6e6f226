import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct DriftFormatTests {
    static func schema(_ sql: String) -> String {
        """
        { "_meta": { "version": "1.2.0" }, "entities": [],
          "fixed_sql": [ { "name": "person", "sql": [ { "dialect": "sqlite", "sql": "\(sql)" } ] } ] }
        """
    }

    @Test func aSnapshotIsComparedWithTheSchemaOfItsVersion() async throws {
        let files = [
            "drift_schema_v1.json": Self.schema("CREATE TABLE person (id INTEGER PRIMARY KEY);"),
            "drift_schema_v3.json": Self.schema("CREATE TABLE person (id INTEGER PRIMARY KEY, born TEXT);"),
        ]
        let newest = ToolProject(
            files: files, history: "PRAGMA user_version = 3",
            schema: "CREATE TABLE person(id INTEGER PRIMARY KEY, born TEXT);",
            rows: "")
        try await newest.verify().expect(warnings: [.nothingVerified])
        let old = ToolProject(
            files: files, history: "PRAGMA user_version = 1",
            schema: "CREATE TABLE person(id INTEGER PRIMARY KEY, age);",
            rows: "")
        try await old.verify().expect(errors: [.migrationInCode, .schemaMismatch])
        // No schema of version 2 was kept.
        let between = ToolProject(
            files: files, history: "PRAGMA user_version = 2",
            schema: "CREATE TABLE person(id INTEGER PRIMARY KEY, age);",
            rows: "")
        try await between.verify().expect(errors: [.migrationInCode])
    }
}
