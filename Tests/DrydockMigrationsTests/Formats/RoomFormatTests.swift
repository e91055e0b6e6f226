import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct RoomFormatTests {
    static func schema(_ version: Int, _ columns: String) -> String {
        """
        { "formatVersion": 1, "database": { "version": \(version), "identityHash": "hash\(version)",
          "entities": [ { "tableName": "person", "createSql": "CREATE TABLE IF NOT EXISTS `${TABLE_NAME}` (\(columns))",
            "indices": [ { "name": "by_name", "createSql": "CREATE INDEX IF NOT EXISTS `by_name` ON `${TABLE_NAME}` (`name`)" } ] } ],
          "views": [ { "viewName": "names", "createSql": "CREATE VIEW `${VIEW_NAME}` AS SELECT name FROM person" } ],
          "setupQueries": [] } }
        """
    }

    static func snapshot(_ columns: String, version: Int) -> ToolProject {
        ToolProject(
            files: [
                "com.example.Database/1.json": schema(1, "id INTEGER NOT NULL, name TEXT, PRIMARY KEY(id)"),
                "com.example.Database/2.json": schema(
                    2, "id INTEGER NOT NULL, name TEXT, born INTEGER, PRIMARY KEY(id)"),
            ],
            history: """
                CREATE TABLE room_master_table (id INTEGER PRIMARY KEY, identity_hash TEXT);
                INSERT INTO room_master_table VALUES (42, 'hash\(version)');
                CREATE TABLE android_metadata (locale TEXT);
                PRAGMA user_version = \(version);
                """,
            schema:
                "CREATE TABLE person(\(columns)); CREATE INDEX by_name ON person(name); CREATE VIEW names AS SELECT name FROM person;",
            rows: "INSERT INTO person(id, name) VALUES (1, 'Ada')")
    }

    @Test func aSnapshotIsComparedWithTheSchemaOfItsVersion() async throws {
        let newest = Self.snapshot(
            "id INTEGER NOT NULL, name TEXT, born INTEGER, PRIMARY KEY(id)", version: 2)
        try await newest.verify().expect(warnings: [.nothingVerified])
        let other = Self.snapshot("id INTEGER NOT NULL, name TEXT, born TEXT, PRIMARY KEY(id)", version: 2)
        try await other.verify().expect(errors: [.schemaMismatch], warnings: [.nothingVerified])
    }

    @Test func aMigrationInKotlinIsAGap() async throws {
        let old = Self.snapshot("id INTEGER NOT NULL, name TEXT, PRIMARY KEY(id)", version: 1)
        try await old.verify().expect(errors: [.migrationInCode])
        let folder = try old.write()
        let newest = Self.snapshot(
            "id INTEGER NOT NULL, name TEXT, born INTEGER, PRIMARY KEY(id)", version: 2)
        try PlainDatabase(folder.file("Snapshots/newest.sqlite")).execute(
            newest.schema + newest.rows + ";" + newest.history)
        try await folder.verify().expectNothing()
    }

    @Test func aDifferentHashIsAnEditedSchema() async throws {
        var project = Self.snapshot(
            "id INTEGER NOT NULL, name TEXT, born INTEGER, PRIMARY KEY(id)", version: 2)
        project.history += "UPDATE room_master_table SET identity_hash = 'other';"
        try await project.verify().expect(errors: [.migrationEdited], warnings: [.nothingVerified])
    }

    @Test func aBrokenExportIsReported() async throws {
        let project = Self.snapshot("id INTEGER, name TEXT", version: 1).with(
            "com.example.Database/2.json", "{ \"identityHash\": 1,\n \"entities\" }")
        #expect(try await project.refusal().contains("2.json:"))
    }
}
