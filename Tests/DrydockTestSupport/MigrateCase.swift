import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import Testing

/// A live database of people and their pets that has applied the first of its migrations.
struct MigrateCase {
    let folder: TemporaryFolder
    var path: String { folder.file("live.sqlite") }

    static let rebuild = """
        CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT DEFAULT '');
        INSERT INTO new_person SELECT id, name, born FROM person;
        DROP TABLE person;
        ALTER TABLE new_person RENAME TO person;
        """
    /// The same for Drydock's own format, which has foreign keys off while it runs.
    static let steps = [ToolProject.two, ToolProject.three, rebuild]
    static let rows = """
        WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 400)
        INSERT INTO person SELECT n, 'person ' || n FROM s;
        INSERT INTO pet SELECT id, id, hex(zeroblob(100)) FROM person;
        """

    init(_ steps: [String] = steps, pragmas: String..., rows: String = "") throws {
        folder = try TemporaryFolder()
        let scenario = Scenario(
            migrations: [("v1", ToolProject.one)] + steps.enumerated().map { ("v\($0 + 2)", $1) }, at: 1,
            rows: Self.rows + rows, pragmas: pragmas)
        for (name, sql) in scenario.migrations { try folder.write("Migrations/\(name).sql", sql) }
        for name in ["tmp", "backups"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name), withIntermediateDirectories: true)
        }
        try scenario.makeSnapshot(path)
    }

    func migrate(
        _ mode: MigrateRequest.Mode, _ configure: (inout MigrateRequest) -> Void = { _ in },
        engine: any Engine = GRDBDriver(), onEvent: @escaping @Sendable (MigrateEvent) -> Void = { _ in }
    ) async throws -> Report {
        var request = MigrateRequest(path: path)
        request.mode = mode
        request.verify.migrations.folder = folder.file("Migrations")
        request.temporaryFolder = folder.file("tmp")
        request.busyTimeout = .milliseconds(300)
        configure(&request)
        return try await Migrator(engine: engine, onEvent: onEvent).run(request)
    }

    /// Returns why nothing was done.
    func refusal(
        _ mode: MigrateRequest.Mode, _ configure: (inout MigrateRequest) -> Void = { _ in }
    ) async throws -> String {
        do {
            let report = try await migrate(mode, configure)
            Issue.record("a report was made: \(report.findings.map(\.line))")
            return ""
        } catch let error as RequestError {
            return error.description
        }
    }

    /// Returns the names of the files beside the database.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    static let plainNames = ["Migrations", "backups", "live.sqlite", "tmp"]

    /// Runs the tool as a user would.
    func tool(_ arguments: String...) throws -> Tool.Result {
        try Tool(folder: folder).run(["migrate", "live.sqlite", "--temporary-folder", "tmp"] + arguments)
    }

    /// Returns everything in the database, as SQLite itself reads it on a new connection.
    static func content(_ path: String) throws -> [String: [[String]]] {
        let database = try PlainDatabase(path)
        var result: [String: [[String]]] = [:]
        result["schema"] = try database.literals(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name")
        for pragma in ["user_version", "encoding", "auto_vacuum", "page_size", "journal_mode"] {
            result[pragma] = try database.literals("PRAGMA \(pragma)")
        }
        result["integrity"] = try database.literals("PRAGMA integrity_check")
        result["keys"] = try database.literals("PRAGMA foreign_key_check")
        for table in try database.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table'", [], { $0.string(0) })
        {
            result["t " + table] = try database.literals("SELECT rowid, * FROM \"\(table)\" ORDER BY rowid")
        }
        return result
    }
}
