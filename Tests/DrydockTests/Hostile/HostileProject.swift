import Foundation
import TestTools

@testable import DrydockTestSupport

/// Writes a small valid project, damages one part of it, and names a command that reads that part.
struct HostileProject {
    let folder: TemporaryFolder

    private static let sound = """
        CREATE TABLE account(id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT NOT NULL UNIQUE COLLATE NOCASE);
        CREATE TABLE item(id INTEGER PRIMARY KEY, account_id INTEGER REFERENCES account(id) ON DELETE CASCADE, size REAL, body TEXT);
        CREATE TABLE pair(a TEXT, b INT, c, PRIMARY KEY (a, b)) WITHOUT ROWID;
        CREATE INDEX item_on_account ON item(account_id, size);
        CREATE INDEX item_on_length ON item(length(body)) WHERE body IS NOT NULL;
        CREATE VIEW totals AS SELECT account_id, count(*) AS n FROM item GROUP BY account_id;
        CREATE TRIGGER item_gone AFTER DELETE ON item BEGIN UPDATE pair SET c = old.id; END;
        CREATE VIRTUAL TABLE search USING fts5(body);

        """
    private static let rows = """
        WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 12) INSERT INTO account SELECT n, 'a' || n FROM s;
        INSERT INTO item SELECT id, id, id * 1.5, hex(zeroblob(id * 40)) FROM account;
        INSERT INTO pair SELECT email, id, x'00' FROM account;
        INSERT INTO search(rowid, body) SELECT id, 'some text ' || id FROM item;
        """
    private static let next =
        "ALTER TABLE item ADD COLUMN kind TEXT;\n-- drydock: rewrites item.body\nUPDATE item SET body = upper(body);\n"

    /// Returns what is damaged, and the command's arguments.
    func make(_ random: inout SeededGenerator) throws -> (kind: String, arguments: [String]) {
        try folder.write("Migrations/v1.sql", Self.sound)
        try folder.write("Migrations/v2.sql", Self.next)
        switch random.below(10) {
        case 0...3: return ("database", try database(&random))
        case 4...6: return ("SQL", try sql(&random))
        case 7: return ("names", try names(&random))
        case 8: return ("drydock.yml", try configuration(&random))
        default: return ("lock", try lock(&random))
        }
    }

    private func makeDatabase(_ path: String, _ random: inout SeededGenerator) throws {
        let database = try PlainDatabase(folder.file(path))
        let pragmas = [
            "PRAGMA page_size = \(random.pick([512, 1024, 4096]))",
            "PRAGMA encoding = '\(random.pick(["UTF-8", "UTF-16le"]))'",
            "PRAGMA auto_vacuum = \(random.below(3))", "PRAGMA synchronous = OFF",
            "PRAGMA journal_mode = \(random.pick(["WAL", "MEMORY", "MEMORY"]))", "BEGIN",
        ]
        try database.execute(
            pragmas.joined(separator: ";") + ";" + Self.sound + Self.rows
                + ";CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('v1'); COMMIT"
        )
    }

    // MARK: - Databases

    private func database(_ random: inout SeededGenerator) throws -> [String] {
        let path = "Snapshots/s.sqlite"
        try folder.write("Snapshots/.keep", "")
        try makeDatabase(path, &random)
        try folder.write("sound.sqlite", FileManager.default.contents(atPath: folder.file(path)) ?? Data())
        var damage = Damage(random: random)
        try damage.spoil(folder, path)
        random = damage.random
        let format = random.pick(["human", "json"])
        return random.pick([
            ["verify", "--format", format], ["verify", "--no-cache", "--engine", "nio"],
            ["verify", "--full-check", "-v"],
            ["health", path], ["health", path, "--deep"],
            ["health", path, "--format", random.pick(["json", "nagios"])],
            ["health", path, "--deep", "--slice", "1ms", "--budget", "50ms"], ["stats", path],
            ["stats", path, "--format", "json", "--compare", "sound.sqlite"], ["vacuum", path, "--dry-run"],
            ["vacuum", path, "--dry-run", "--format", "json"], ["migrate", path, "--check"],
            ["migrate", path, "--temporary-folder", "tmp"],
            ["schema", path], ["schema", path, "--format", random.pick(["json", "mermaid"])],
            ["diff", path, "sound.sqlite"],
            ["diff", "sound.sqlite", path, "--sql"], ["diff", "--data", path, "sound.sqlite"],
            ["diff", "--data", "sound.sqlite", path, "--format", random.pick(["json", "sql"])], ["lock"],
            ["lock", "--check"],
            ["new", "next", "--from-diff", path],
        ])
    }

    // MARK: - SQL

    private func sql(_ random: inout SeededGenerator) throws -> [String] {
        var maker = HostileSQL(random: random)
        let text = maker.script()
        random = maker.random
        try folder.write("Migrations/v3.sql", text)
        try folder.write("other.sql", text)
        if random.chance(60) {
            try folder.write("Snapshots/.keep", "")
            try makeDatabase("Snapshots/s.sqlite", &random)
        }
        if random.chance(10) { try folder.write("Snapshots/dump.sql", text) }
        return random.pick([
            ["verify"], ["verify", "--format", "json", "--engine", "nio"],
            ["verify", "--rollback", "--no-cache"], ["lint"],
            ["lint", "--all", "--format", "json"], ["lint", "--sqlite", "3.24"], ["schema", "Migrations"],
            ["schema", "other.sql"],
            ["schema", "other.sql", "--format", random.pick(["json", "mermaid"])],
            ["diff", "Migrations@v2", "Migrations", "--sql"],
            ["diff", "other.sql", "Migrations"],
            ["diff", "Migrations@v2", "other.sql", "--sql", "--allow-loss"], ["lock"], ["lock", "--check"],
            ["new", "next", "--from-diff", "other.sql", "--allow-loss"],
            [
                "lint", "--migration-format",
                random.pick([
                    "goose", "dbmate", "sqlx", "golang-migrate", "sqldelight", "flyway", "refinery", "d1",
                ]),
            ],
        ])
    }

    // MARK: - Names

    private func names(_ random: inout SeededGenerator) throws -> [String] {
        let odd = [
            "v3\n.sql", "v3 \u{202E}x.sql", "v3'; DROP TABLE t; --.sql", "v3\u{1b}[31m.sql",
            "99999999999999999999999_x.sql", "-v3.sql",
            "v3.down.sql", "V3__x.sql", "3_x.up.sql", String(repeating: "v", count: 240) + ".sql", "%.sql",
            "v3#?.sql", "é.sql", ".sql",
            "0001_x.sql", "1.sqm", "meta/_journal.json", "migration_lock.toml", "x/up.sql", "x/migration.sql",
            "x/metadata.toml", "1.json",
            "R__x.sql", "flyway.conf",
        ]
        for _ in 0...random.below(3) {
            var maker = HostileSQL(random: random)
            let text = random.chance(30) ? [] : maker.script()
            random = maker.random
            _ = try? folder.write("Migrations/\(random.pick(odd))", text)
        }
        try folder.write("Snapshots/.keep", "")
        let name = random.pick([
            "s.sqlite", "a\nb.sqlite", "a#b?.sqlite", "%41.sqlite", "\u{202E}.db", "s.sql",
        ])
        try makeDatabase("Snapshots/\(name)", &random)
        return random.pick([
            ["verify"], ["verify", "--format", "json"], ["lint"], ["lock"], ["schema", "Migrations"],
            ["health", "Snapshots/\(name)"], ["stats", "Snapshots/\(name)"],
        ])
    }

    // MARK: - Texts that Drydock reads

    private static let yaml = """
        migrations: Migrations
        snapshots: Snapshots
        strict: true
        timeout: 5m
        transaction: none
        foreignKeys: true
        historyTable: app_migrations
        base: sound.sql
        placeholders:
          prefix: app
          "%TABLE%": account
        declarations:
          v2:
            - rewrites item.body
            - deletes from item where id > 3
        functions:
          make_uuid: {returns: "00000000"}
          normalized: {argument: 0}
        collations:
          localized: nocase
        sqlite: ios-15
        lint:
          rules:
            missing-strict: warning
        health:
          budget: 5s
          thresholds:
            freelist: {warning: "0:25", critical: 40}
        custom:
          files: '(?<version>[0-9]+).*\\.sql'
          identifier: ${version+1}
          history:
            table: system_setting
            query: SELECT 1
            newest: true
            record: UPDATE t SET a = :version

        """

    private func configuration(_ random: inout SeededGenerator) throws -> [String] {
        var mutation = Mutation(random: random)
        try folder.write("drydock.yml", mutation.yaml(Self.yaml))
        random = mutation.random
        if random.chance(50) {
            try folder.write("Snapshots/.keep", "")
            try makeDatabase("Snapshots/s.sqlite", &random)
        }
        return random.pick([
            ["verify"], ["lint"], ["lock", "--check"], ["health", "Snapshots/s.sqlite"],
            ["schema", "Migrations"], ["diff", "Migrations@v1", "Migrations"],
            ["new", "x"], ["migrate", "Snapshots/s.sqlite", "--check"],
        ])
    }

    private static let lockText = """
        version 2
        migrations Migrations format=drydock

        migration v1 bytes=064b0bcea25181c48089a96f5aedbf7b20d388aaa73a3f2241a8da95b6e049d4 tokens=62a36222767e9a933d41fb0b0742e830ec81551c66f39f890aa2472aeb30defd marks=none #31ec85f1
        down v2 bytes=78dbcc893db1d28ace2f417f049a652dd0c650ee9d5cb33d5be0a6e9fa9f70a8 tokens=a7f798e1b58c07479cddf6a58c5829eed64debae3a93fe70406f3991527bf9b8 #8204a919
        snapshot Snapshots/s.sqlite content=0752a2c51e1c4adfc23e6ba3214e5d3c82fac84320ecc1beb989cbda93acd418 at=v1 sqlite=3.40.1 locked=2026-11-21 #a07c2de0

        """

    private func lock(_ random: inout SeededGenerator) throws -> [String] {
        try folder.write("Snapshots/.keep", "")
        try makeDatabase("Snapshots/s.sqlite", &random)
        var text = Self.lockText
        if random.chance(60) {
            let project = Tool(folder: folder)
            if try project.run("lock", "--no-cache").status == 0 {
                text = (try? String(contentsOfFile: folder.file("drydock.lock"), encoding: .utf8)) ?? text
            }
        }
        var mutation = Mutation(random: random)
        try folder.write("drydock.lock", mutation.lines(text))
        random = mutation.random
        return random.pick([
            ["verify"], ["lock", "--check"], ["lock"], ["lint"], ["lint", "--new"],
            ["verify", "--format", "json"], ["lock", "--replace", "v1"],
        ])
    }
}
