import Foundation

/// The database that is measured: a mail client's, which sqlite3 generates from a fixed formula.
struct BenchmarkDatabase {
    let folder: String
    /// The approximate size in megabytes.
    let megabytes: Int

    var snapshot: String { folder + "/Snapshots/mail.sqlite" }

    static let schema = """
        CREATE TABLE account(id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE);
        CREATE TABLE email(
            id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            message_id TEXT NOT NULL, subject TEXT, sender TEXT, body TEXT, size INTEGER, received_at REAL);
        CREATE INDEX email_on_account ON email(account_id, received_at);
        CREATE TABLE message(message_id TEXT PRIMARY KEY, thread TEXT, flags INTEGER);
        """

    /// Creates the snapshot, unless it exists from an earlier run.
    func make() throws {
        guard !FileManager.default.fileExists(atPath: snapshot) else { return }
        for name in ["Snapshots", "Migrations"] {
            try FileManager.default.createDirectory(
                atPath: folder + "/" + name, withIntermediateDirectories: true)
        }
        try Self.schema.write(toFile: folder + "/Migrations/v1.sql", atomically: true, encoding: .utf8)
        let count = megabytes * 1_600
        let noise = "((n * 2654435761 + 12345) % 4294967296)"
        try sqlite(
            snapshot,
            """
            PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;
            \(Self.schema)
            CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
            INSERT INTO grdb_migrations VALUES ('v1');
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 1000)
            INSERT INTO account SELECT n, 'user' || n || '@example.org' FROM s;
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT \(count))
            INSERT INTO email SELECT n, 1 + \(noise) % 1000, printf('<%08x.%d@example.org>', \(noise), n),
                'Subject ' || \(noise), 'sender' || \(noise) % 5000 || '@example.com',
                replace(hex(zeroblob(\(noise) % 200)), '00', 'mail'), \(noise) % 100000, n * 1.5 FROM s;
            INSERT INTO message SELECT message_id, 'thread ' || id / 7, id % 8 FROM email WHERE id % 3 = 0;
            COMMIT;
            """)
    }

    /// Runs SQL on a database with sqlite3.
    func sqlite(_ path: String, _ sql: String) throws {
        let script = folder + "/script.sql"
        try sql.write(toFile: script, atomically: true, encoding: .utf8)
        _ = try Contender("sqlite3", script: "sqlite3 '\(path)' < '\(script)'").run()
    }
}
