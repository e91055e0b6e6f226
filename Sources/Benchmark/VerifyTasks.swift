import Foundation

/// The tasks that compare `drydock verify` with the script that a person would write.
struct VerifyTasks {
    let drydock: String
    let database: BenchmarkDatabase

    var all: [BenchmarkTask] {
        [
            task(
                "verify-additive", "ADD COLUMN, CREATE TABLE, an UPDATE of two rows",
                """
                ALTER TABLE email ADD COLUMN note TEXT;
                CREATE TABLE label(id INTEGER PRIMARY KEY, name TEXT);
                -- drydock: rewrites account.address
                UPDATE account SET address = upper(address) WHERE id < 3;
                """,
                goals: [
                    Goal(Self.stat, .seconds(0.1)), Goal(Self.cold, .times(0.45, of: Self.integrity)),
                ]),
            task(
                "verify-update", "an UPDATE of every row of the biggest table",
                "-- drydock: rewrites email.size\nUPDATE email SET size = size + 1;",
                goals: [
                    Goal(Self.stat, .times(1.5, of: Self.sqlite)), Goal(Self.stat, .privateMegabytes(128)),
                ]
            ),
            task(
                "verify-rebuild", "a rebuild of the biggest table",
                """
                CREATE TABLE new_email(
                    id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    message_id TEXT NOT NULL, subject TEXT, sender TEXT, body TEXT, size INTEGER NOT NULL,
                    received_at REAL, is_read INTEGER NOT NULL DEFAULT 0);
                INSERT INTO new_email(id, account_id, message_id, subject, sender, body, size, received_at)
                SELECT id, account_id, message_id, subject, sender, body, size, received_at FROM email;
                DROP TABLE email;
                ALTER TABLE new_email RENAME TO email;
                CREATE INDEX email_on_account ON email(account_id, received_at);
                """,
                goals: [
                    Goal(Self.stat, .times(0.8, of: Self.sqlite)), Goal(Self.stat, .privateMegabytes(128)),
                ]
            ),
        ]
    }

    private static let stat = "drydock, snapshot known by stat"
    private static let cold = "drydock, not known"
    private static let sqlite = "sqlite3, the same SQL on a copy"
    private static let integrity = "sqlite3, integrity_check"

    private func task(
        _ name: String, _ summary: String, _ migration: String, goals: [Goal]
    ) -> BenchmarkTask {
        let (folder, snapshot) = (database.folder, database.snapshot)
        let prepare = {
            try migration.write(toFile: folder + "/Migrations/v2.sql", atomically: true, encoding: .utf8)
        }
        let command = [
            drydock, "verify", "--migrations", folder + "/Migrations", "--snapshots", folder + "/Snapshots",
            "--format", "json",
        ]
        let known = ["env", "XDG_CACHE_HOME=\(folder)/cache"] + command
        let copy = folder + "/copy.sqlite"
        let script = """
            cp '\(snapshot)' '\(copy)'
            sqlite3 '\(copy)' < '\(folder)/Migrations/v2.sql'
            sqlite3 '\(copy)' 'PRAGMA integrity_check; PRAGMA foreign_key_check' > /dev/null
            """
        let sqldiff = "\nsqldiff --summary '\(snapshot)' '\(copy)' > /dev/null"
        return BenchmarkTask(
            name: name, summary: "verify \(summary), on \(database.megabytes) MB",
            contenders: [
                Contender(
                    Self.stat, known,
                    before: {
                        try prepare()
                        // A file that was changed a moment ago is not recognised by its times.
                        usleep(2_100_000)
                        _ = try Contender("drydock", known).run()
                    }),
                Contender(
                    "drydock, known by content", known,
                    before: {
                        try prepare()
                        try FileManager.default.setAttributes(
                            [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: snapshot)
                    }),
                Contender(
                    Self.cold, ["env", "XDG_CACHE_HOME=\(folder)/new-cache"] + command,
                    before: {
                        try prepare()
                        try? FileManager.default.removeItem(atPath: folder + "/new-cache")
                    }),
                Contender(
                    Self.sqlite, script: "sqlite3 '\(copy)' < '\(folder)/Migrations/v2.sql'",
                    before: {
                        try prepare()
                        _ = try Contender("cp", script: "cp '\(snapshot)' '\(copy)'").run()
                    }),
                Contender(
                    Self.integrity, ["sqlite3", "-readonly", snapshot, "PRAGMA integrity_check"]),
                Contender("cp, sqlite3, checks, sqldiff", script: script + sqldiff),
                Contender("cp, sqlite3, checks", script: script),
            ], goals: goals)
    }
}
