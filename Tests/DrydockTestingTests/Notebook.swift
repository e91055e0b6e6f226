import Drydock
import DrydockTesting
import Foundation
import GRDB

/// A folder with snapshots of a small migrator; it is deleted after the test.
final class Notebook {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "notebook-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "Snapshots"), withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var snapshots: String { folder.appending(path: "Snapshots").path }
    var lock: String { folder.appending(path: "drydock.lock").path }

    /// A migrator with two released migrations.
    static var released: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(
                sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, size INTEGER DEFAULT 0)"
            )
        }
        migrator.registerMigration("v2") { db in
            try db.execute(sql: "CREATE TABLE tag (name TEXT NOT NULL, note_id INTEGER REFERENCES note)")
        }
        return migrator
    }

    static func adding(
        _ identifier: String = "v3", to migrator: DatabaseMigrator = released,
        _ body: @escaping @Sendable (Database) throws -> Void
    ) -> DatabaseMigrator {
        var migrator = migrator
        migrator.registerMigration(identifier, migrate: body)
        return migrator
    }

    /// Makes a snapshot of a version.
    func keep(
        _ migrator: DatabaseMigrator = released, upTo version: String = "v2",
        named name: String = "old.sqlite",
        rows: (Database) throws -> Void = { db in
            try db.execute(sql: "INSERT INTO note (title, size) VALUES ('one', 1), ('two', 2)")
        }
    ) throws {
        let queue = try DatabaseQueue(path: snapshots + "/" + name)
        try migrator.migrate(queue, upTo: version)
        try queue.write(rows)
        try queue.close()
    }

    func report(
        _ migrator: DatabaseMigrator, declaring declarations: [String: [DrydockTesting.Declaration]] = [:],
        configuration: Configuration = Configuration(), locked: Bool = false
    ) async throws -> Report {
        try await migrationReport(
            migrator, snapshots: snapshots, declaring: declarations, configuration: configuration,
            lock: locked ? lock : nil)
    }
}

extension Report {
    /// The findings without notes.
    var broken: [String] {
        findings.filter { $0.severity != .note }.map { "\($0.severity.rawValue) \($0.rule.rawValue)" }
    }
}
