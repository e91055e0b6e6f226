import Drydock
import Foundation
import Testing

/// A folder of another tool's migrations, and a database as the tool leaves it after the first migration.
struct ToolProject {
    /// People, and pets that are deleted with them.
    static let one = """
        CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE pet(id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person(id) ON DELETE CASCADE, name TEXT);

        """
    static let two = "ALTER TABLE person ADD COLUMN born TEXT;\n"
    static let three = "CREATE INDEX pet_on_person ON pet(person_id);\n"
    static let loss = "DELETE FROM pet WHERE id = 2;\n"
    static let rows = """
        INSERT INTO person(id, name) VALUES (1, 'Ada'), (2, 'Bob');
        INSERT INTO pet VALUES (1, 1, 'Rex'), (2, 2, 'Tom');
        """
    /// Rebuilds `person` as SQLite's manual describes, with foreign keys off.
    static let rebuild = """
        PRAGMA foreign_keys = OFF;
        CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT DEFAULT '');
        INSERT INTO new_person SELECT id, name, born FROM person;
        DROP TABLE person;
        ALTER TABLE new_person RENAME TO person;
        PRAGMA foreign_keys = ON;

        """

    var files: [String: String]
    /// The SQL of the tool's own table, with its rows after the first migration.
    var history: String
    var schema = one
    var rows = ToolProject.rows

    func write() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write("Migrations/\(name)", text) }
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try PlainDatabase(folder.file("Snapshots/first.sqlite")).execute(schema + rows + ";" + history)
        return folder
    }

    /// Reads the migrations as a project without snapshots.
    func load() throws -> MigrationSet {
        let folder = try write()
        return try withExtendedLifetime(folder) { try MigrationFormats.load(folder: $0.file("Migrations")) }
    }

    func verify(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> Report {
        try await write().verify(sourceLocation: sourceLocation, configure)
    }

    /// Returns the project with another file.
    func with(_ file: String, _ text: String?) -> ToolProject {
        var project = self
        project.files[file] = text
        return project
    }

    /// Returns why no report can be made.
    func refusal(_ configure: (inout VerifyRequest) -> Void = { _ in }) async throws -> String {
        do {
            let report = try await verify(configure)
            Issue.record("a report was made: \(report.findings.map(\.line))")
            return ""
        } catch let error as RequestError {
            return error.description
        }
    }
}

extension Report {
    var steps: [String] { replays.flatMap(\.steps).map(\.migration) }

    /// The errors as FILE:LINE: message, with only the last part of the file's path.
    var faults: [String] {
        findings.filter { $0.severity == .error }.map { finding in
            let file = finding.place?.file.split(separator: "/").last ?? ""
            return "\(file):\(finding.place?.line ?? 0): \(finding.message)"
        }
    }
}
