import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct SQLDelightFormatTests {
    static let project = ToolProject(
        files: ["1.sqm": ToolProject.two, "2.sqm": ToolProject.three], history: "PRAGMA user_version = 1;")

    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await Self.project.verify()
        // Migrations without a base schema do not create a database.
        report.expect(notChecked: [.schemaMismatch])
        #expect(report.steps == ["1", "2"])
    }

    /// SQLDelight's own check of migrations begins with the database that its plugin wrote for the first version.
    @Test func theFirstDatabaseIsTheBase() async throws {
        let folder = try Self.project.write()
        try FileManager.default.createDirectory(
            atPath: folder.file("Migrations/databases"), withIntermediateDirectories: true)
        for version in 1...2 {
            try PlainDatabase(folder.file("Migrations/databases/\(version).db")).execute(ToolProject.one)
        }
        try await folder.verify().expectNothing()
    }

    @Test func theNewestSchemaIsReadFromTheQueries() async throws {
        let queries = """
            import kotlin.Boolean;
            import com.example.Kind;

            CREATE TABLE person(
              id INTEGER AS kotlin.Long PRIMARY KEY, name TEXT AS Map<String, Int> NOT NULL, born TEXT AS Kind
            );
            CREATE TABLE pet(id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person(id) ON DELETE CASCADE, name TEXT);
            CREATE INDEX pet_on_person ON pet(person_id);

            selectAll:
            SELECT * FROM person WHERE name = :name;

            replaceAll {
              DELETE FROM person;
              INSERT INTO person VALUES ?;
            }

            count: SELECT count(*) FROM pet;
            """
        let project = Self.project.with("com/example/People.sq", queries)
        try await project.verify().expectNothing()
        let other = queries.replacing("born TEXT AS Kind", with: "born INTEGER AS Kind")
        try await Self.project.with("com/example/People.sq", other).verify().expect(errors: [.schemaMismatch])
    }

    @Test func typesInMigrationsAreLeftOut() async throws {
        let sql = "ALTER TABLE person ADD COLUMN born INTEGER AS Boolean NOT NULL DEFAULT 0;\n"
        let report = try await Self.project.with("1.sqm", sql).verify()
        report.expect(notChecked: [.schemaMismatch])
        #expect(report.steps.count == 2)
    }

    @Test func theNewestVersionIsOneAboveTheLastMigration() async throws {
        var project = Self.project
        project.schema += ToolProject.two + ToolProject.three
        project.history = "PRAGMA user_version = 3;"
        try await project.verify().expect(warnings: [.nothingVerified], notChecked: [.schemaMismatch])
        project.history = "PRAGMA user_version = 4;"
        #expect(try await project.verify().rules(.error) == [.unknownMigration])
        project.history = ""
        #expect(try await project.verify().rules(.error) == [.snapshotVersionUnknown])
    }

    /// FTS5 refuses what SQLDelight wants in a definition.
    @Test func typesOfFullTextColumnsAreLeftOut() async throws {
        let definition = """
            CREATE VIRTUAL TABLE search USING FTS5(
              title TEXT NOT NULL, body TEXT DEFAULT (1, 2), link TEXT NOT NULL PRIMARY KEY UNINDEXED, tokenize="trigram"
            );

            """
        let project = Self.project.with(
            "1.sqm", definition + "INSERT INTO search SELECT name, name, 'x' FROM person;\n")
        let report = try await project.verify()
        report.expect(notChecked: [.schemaMismatch])
        #expect(report.steps == ["1", "2"])
    }

    /// Android nests a file's own transaction in that of the upgrade.
    @Test func ownTransactionsAreNested() async throws {
        let nested = "BEGIN TRANSACTION;\n" + ToolProject.two + "COMMIT;\n"
        let report = try await Self.project.with("1.sqm", nested).verify()
        report.expect(notChecked: [.schemaMismatch])
        #expect(try report.finding(.transactionEnded).severity == .note)
        #expect(report.steps == ["1", "2"])
        let open = try await Self.project.with("1.sqm", ToolProject.two + "COMMIT;\n").verify()
        #expect(open.rules(.error).contains(.transactionEnded))
    }
}
