import DatabaseEngine
import Foundation
import GRDBEngine

/// A database as one release left it.
struct SampleSnapshot {
    var version: Int
    var name: String
    /// SQL for the empty file, for settings that cannot be changed later.
    var setup: [String] = []

    /// Together the snapshots cover what a reader of database files must handle: page sizes, encodings,
    /// freelist pages, pointer maps, the header of a database in WAL mode, and a dump.
    static let all = [
        SampleSnapshot(version: 1, name: "mail-v1.sqlite"),
        SampleSnapshot(version: 2, name: "mail-v2.sql"),
        SampleSnapshot(version: 3, name: "mail-v3-utf16.sqlite", setup: ["PRAGMA encoding = 'UTF-16le'"]),
        SampleSnapshot(
            version: 5, name: "mail-v5-autovacuum.sqlite",
            setup: ["PRAGMA page_size = 1024", "PRAGMA auto_vacuum = FULL"]),
        SampleSnapshot(version: 8, name: "mail-v8-wal.sqlite", setup: ["PRAGMA journal_mode = WAL"]),
        SampleSnapshot(version: 10, name: "mail-v10.sqlite"),
        SampleSnapshot(version: 12, name: "mail-v12.sqlite"),
    ]

    private static let engine: any Engine = GRDBDriver()

    /// Creates the snapshot's file and runs every release up to its version on it.
    func make(in folder: URL, steps: [SampleMigration]) async throws {
        let isDump = name.hasSuffix(".sql")
        let file = folder.appending(path: isDump ? "\(name).sqlite" : name)
        var settings = ConnectionSettings()
        settings.setup = ["PRAGMA page_size = 4096"] + setup
        let database = try await Self.engine.open(.live(path: file.path), settings: settings)
        var mail = SampleMail(seed: UInt64(version))
        for step in steps where step.version <= version {
            try await database.apply(
                EngineMigration(identifier: step.identifier) { try $0.execute(step.sql) })
            let rows = mail.rows(at: step.version).joined(separator: ";\n")
            try await database.withConnection { try $0.execute("BEGIN;\n\(rows);\nCOMMIT;") }
        }
        if isDump {
            let dump = try await database.read { try DatabaseDump.text(of: $0) }
            try dump.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        // Only the file itself is kept, so nothing may be left in a -wal beside it.
        try await database.withConnection { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        try await database.close()
    }
}
