import DatabaseEngine
import Foundation

@testable import DrydockTestSupport

/// The repository's own sample: a mail client's migrations, and its database as left by old releases.
struct SampleApp: Sendable {
    struct Migration: Sendable {
        var version: Int
        var identifier: String
        var sql: String
    }

    struct Snapshot: Sendable {
        var version: Int
        var name: String
        var path: String
    }

    let migrations: [Migration]
    let snapshots: [Snapshot]
    /// Every snapshot just before a migration, by the migration's version.
    let eves: [Int: [String]]
    private let folder: TemporaryFolder

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let migrationsFolder = root.appending(path: "Migrations").path
    static let snapshotsFolder = root.appending(path: "Snapshots").path

    /// The sample, read once; an error in it fails every test that uses it.
    static let shared = Result { try SampleApp() }

    init() throws {
        let files = FileManager.default
        migrations = try files.contentsOfDirectory(atPath: Self.migrationsFolder)
            .filter { $0.hasSuffix(".sql") && !$0.hasSuffix(".down.sql") }
            .map { name in
                Migration(
                    version: Self.version(name), identifier: String(name.dropLast(4)),
                    sql: try String(contentsOfFile: "\(Self.migrationsFolder)/\(name)", encoding: .utf8))
            }
            .sorted { $0.version < $1.version }
        snapshots = try files.contentsOfDirectory(atPath: Self.snapshotsFolder)
            .filter { $0.hasPrefix("mail-v") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
            .map {
                Snapshot(
                    version: Self.version(String($0.dropFirst(5))), name: $0,
                    path: "\(Self.snapshotsFolder)/\($0)")
            }
            .sorted { $0.version < $1.version }
        folder = try TemporaryFolder()
        eves = try Self.makeEves(snapshots, migrations, in: folder)
    }

    /// `v10` of `v10_create_sync_state.sql`.
    private static func version(_ name: String) -> Int { Int(name.dropFirst().prefix { $0.isNumber }) ?? 0 }

    /// Migrates copies of the snapshots with plain SQLite, and keeps each version on the way.
    private static func makeEves(
        _ snapshots: [Snapshot], _ migrations: [Migration], in folder: TemporaryFolder
    ) throws -> [Int: [String]] {
        var eves: [Int: [String]] = [:]
        for snapshot in snapshots {
            let work = folder.file("work-\(snapshot.name).sqlite")
            if snapshot.name.hasSuffix(".sql") {
                try PlainDatabase(work).execute(String(contentsOfFile: snapshot.path, encoding: .utf8))
            } else {
                try FileManager.default.copyItem(atPath: snapshot.path, toPath: work)
            }
            for migration in migrations where migration.version > snapshot.version {
                let eve = folder.file("\(migration.version)/\(snapshot.name)").replacing(
                    ".sql", with: ".sqlite"
                ).replacing(".sqliteite", with: ".sqlite")
                try folder.write(
                    "\(migration.version)/\(URL(filePath: eve).lastPathComponent)",
                    Data(contentsOf: URL(filePath: work)))
                eves[migration.version, default: []].append(eve)
                let database = try PlainDatabase(work)
                try database.execute(
                    "BEGIN; \(migration.sql)\n; INSERT INTO grdb_migrations VALUES ('\(migration.identifier)'); COMMIT"
                )
            }
        }
        return eves
    }

    /// Returns an empty database with the schema at a version.
    func schema(after version: Int) throws -> PlainDatabase {
        let database = try PlainDatabase()
        for migration in migrations where migration.version <= version { try database.execute(migration.sql) }
        return database
    }
}
