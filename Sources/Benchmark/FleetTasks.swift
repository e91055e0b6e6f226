import Foundation

/// The tasks on many small databases: what an app has that keeps one file a customer.
struct FleetTasks {
    let drydock: String
    let folder: String
    /// The repository, whose sample the databases are made from.
    let root: String

    static let count = 10_000
    private static let verified = 200
    private static let migrated = 500
    /// The sample's snapshots of 70 to 100 kB, and how many steps each is behind.
    private static let samples = [(name: "mail-v1", steps: 11), (name: "mail-v5-autovacuum", steps: 7)]

    private static let small = 2_000

    var all: [BenchmarkTask] { [health, verify, migrate, migrateSmall] }

    private var health: BenchmarkTask {
        let (own, peer) = ("drydock health", "xargs -P2 sqlite3 integrity_check")
        return BenchmarkTask(
            name: "fleet: health", summary: "\(Self.count) databases of 70 to 100 kB",
            contenders: [
                Contender(
                    own, [drydock, "health", "-q", fleet], statuses: [0, 1],
                    before: { try make(Self.count, in: fleet) }),
                Contender(
                    peer,
                    script:
                        "find '\(fleet)' -name '*.sqlite' -print0 | xargs -0 -P2 -I{} sqlite3 {} 'PRAGMA integrity_check' > /dev/null"
                ),
            ], goals: [Goal(own, .faster(2.5, than: peer)), Goal(own, .privateMegabytes(128))])
    }

    private var verify: BenchmarkTask {
        let own = "drydock verify --jobs 1"
        let steps = Self.verified / Self.samples.count * Self.samples.reduce(0) { $0 + $1.steps }
        return BenchmarkTask(
            name: "fleet: verify", summary: "\(Self.verified) such databases, \(steps) steps, on one core",
            contenders: [
                Contender(
                    own,
                    [
                        drydock, "verify", "-q", "--jobs", "1", "--no-cache", "--no-lock", "-m", migrations,
                        "-s", snapshots,
                    ],
                    statuses: [0, 1], before: { try make(Self.verified, in: snapshots) })
            ], goals: [Goal(own, .seconds(0.002 * Double(steps)))])
    }

    private var migrate: BenchmarkTask {
        migrate(
            "fleet: migrate", "\(Self.migrated) such databases, beside one process a file", work, in: root
        ) {
            try? FileManager.default.removeItem(atPath: work)
            try make(Self.migrated, in: work)
        }
    }

    private var migrateSmall: BenchmarkTask {
        let (project, databases) = (folder + "/fleet-small", folder + "/fleet-small/databases")
        return migrate(
            "fleet: migrate small",
            "\(Self.small) databases of 16 kB with one pending migration, beside one process a file",
            databases, in: project
        ) {
            try? FileManager.default.removeItem(atPath: project)
            for path in [databases, project + "/Migrations"] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            let first = "CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT);"
            try first.write(toFile: project + "/Migrations/v1.sql", atomically: true, encoding: .utf8)
            try "ALTER TABLE note ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;".write(
                toFile: project + "/Migrations/v2.sql", atomically: true, encoding: .utf8)
            let script = """
                sqlite3 one.sqlite "\(first) INSERT INTO note SELECT value, 'title ' || value, 'body'
                    FROM generate_series(1, 50);
                    CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('v1');"
                seq \(Self.small) | xargs -I{} cp one.sqlite databases/{}.sqlite
                """
            _ = try Contender("sqlite3", script: "cd '\(project)' && \(script)").run()
        }
    }

    /// The commands are those that people type, in the folder of the project: each database gets a backup.
    private func migrate(
        _ name: String, _ summary: String, _ databases: String, in project: String,
        fresh: @escaping () throws -> Void
    ) -> BenchmarkTask {
        let (own, peer) = ("drydock migrate --apply", "xargs -P2 drydock migrate --apply")
        return BenchmarkTask(
            name: name, summary: summary,
            contenders: [
                Contender(
                    own, ["env", "-C", project, drydock, "migrate", "--apply", databases], before: fresh),
                Contender(
                    peer,
                    script: "cd '\(project)' && find '\(databases)' -name '*.sqlite' -print0 | "
                        + "xargs -0 -P2 -I{} '\(drydock)' migrate --apply {}",
                    before: fresh),
            ], goals: [Goal(own, .faster(3, than: peer))])
    }

    private var migrations: String { root + "/Migrations" }
    private var fleet: String { folder + "/fleet" }
    private var snapshots: String { folder + "/fleet-verified" }
    private var work: String { folder + "/fleet-migrated" }

    /// Creates databases, each with a row of its own, unless they exist from an earlier run.
    private func make(_ count: Int, in folder: String) throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: folder) else { return }
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in 0..<count {
            let sample = Self.samples[number % Self.samples.count].name
            try files.copyItem(
                atPath: "\(root)/Snapshots/\(sample).sqlite", toPath: "\(folder)/tenant-\(number).sqlite")
        }
        _ = try Contender(
            "sqlite3",
            script: """
                for file in '\(folder)'/*.sqlite; do
                    echo "$file" | xargs -I{} sqlite3 {} "INSERT INTO account (address, name) VALUES ('$(basename $file)', 'name')"
                done
                """
        ).run()
    }
}
