import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

/// Endless or unlimited SQL is stopped.
@Suite struct LimitTests {
    private static let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
    /// A view upon sixteen others, each a join of the one below with itself. SQLite accepts no longer chain.
    private static func views(_ name: String) -> String {
        "CREATE VIEW \(name)0 AS SELECT a FROM t;\n"
            + (1..<16).map {
                "CREATE VIEW \(name)\($0) AS SELECT x.a FROM \(name)\($0 - 1) x JOIN \(name)\($0 - 1) y ON x.a = y.a;\n"
            }
            .joined()
    }

    private static let steps = [
        "INSERT INTO t \(endless) SELECT n FROM r;", "CREATE TABLE u AS \(endless) SELECT n FROM r;",
        views("w") + "CREATE TABLE u AS SELECT * FROM w15;",
        // A rename compiles every view. With one chain it takes a second, or less.
        "uvwxyz".map { views(String($0)) }.joined() + "ALTER TABLE t RENAME COLUMN a TO b;",
    ]
    /// SQLite takes half a second to compile the longest chain of common tables that it accepts.
    private static let chain =
        "CREATE VIEW v AS WITH "
        + (0..<15).map {
            "c\($0) AS (SELECT x.a FROM \($0 == 0 ? "t" : "c\($0 - 1)") x JOIN \($0 == 0 ? "t" : "c\($0 - 1)") y)"
        }
        .joined(separator: ", ") + " SELECT * FROM c14; CREATE TABLE u AS SELECT * FROM v;"

    private func project(_ step: String) throws -> TemporaryFolder {
        let folder = try Scenario("CREATE TABLE t(a);\n", rows: "INSERT INTO t VALUES (1)", steps: step)
            .write()
        try folder.write("all.sql", "CREATE TABLE t(a);\nINSERT INTO t VALUES (1);\n" + step)
        try FileManager.default.createDirectory(
            atPath: folder.file("tmp"), withIntermediateDirectories: true)
        return folder
    }

    /// A text of 9 MB cannot be read within 16 MB.
    @Test func whatALimitKeptFromBeingCheckedIsNotRemembered() throws {
        let folder = try Scenario(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT);
            CREATE VIRTUAL TABLE f USING fts5(a, content='t', content_rowid='id');
            """,
            rows: """
                INSERT INTO t VALUES (1, hex(zeroblob(4500000))), (2, 'two'); INSERT INTO f(f) VALUES ('rebuild');
                """, steps: "-- drydock: rewrites t.a\nUPDATE t SET a = 'other' WHERE id = 2"
        ).write()
        let tool = Tool(folder: folder, environment: ["XDG_CACHE_HOME": folder.file("cache")])
        let small = try tool.run("verify", "--memory", "16MB")
        #expect(small.output.contains("not checked: search-index-stale"), "\(small.output)\(small.errors)")
        #expect(!small.output.contains("cannot be read"), "\(small.output)")
        let large = try tool.run("verify", "--memory", "2GB")
        #expect(large.status == 1 && large.output.contains("error[search-index-stale]"), "\(large.output)")
    }

    @Test(arguments: steps, ["grdb", "nio"]) func verifyNamesTheMigration(_ step: String, _ engine: String)
        throws
    {
        let folder = try project(step)
        // One time limit and one grace period, rather than one for each install.
        let result = try Tool(folder: folder, processorSeconds: 20).run(
            "verify", "--no-cache", "--timeout", "1s", "--engine", engine)
        #expect(result.status == 1)
        #expect(result.output.contains("error[time-limit]"), "\(result.output)")
        #expect(result.output.contains("not finished after 1 s (the time limit)"), "\(result.output)")
        #expect(result.output.contains("Migrations/v2.sql:"), "\(result.output)")
        #expect(result.output.contains("--timeout 30m"), "\(result.output)")
    }

    /// Whether the time is up depends on the machine, and then on what runs at that moment.
    @Test(arguments: ["grdb", "nio"]) func aLongChainOfCommonTablesIsNotPassedUnchecked(_ engine: String)
        throws
    {
        let folder = try project(Self.chain)
        let result = try Tool(folder: folder).run(
            "verify", "--no-cache", "--timeout", "1s", "--engine", engine)
        let isCut = result.output.contains("error[time-limit]")
        #expect(result.status == (isCut ? 1 : 0), "\(result.output)")
        #expect(!isCut || result.output.contains("not finished after 1 s (the time limit)"))
    }

    @Test(arguments: steps) func schemaDiffAndLintSaySo(_ step: String) throws {
        let folder = try project(step)
        for arguments in [
            ["schema", "all.sql"], ["schema", "Migrations"], ["diff", "all.sql", "Migrations"],
        ] {
            let result = try Tool(folder: folder).run(arguments + ["--timeout", "1s"])
            #expect(result.status == 2)
            #expect(result.errors.contains("not finished after 1 s (the time limit)"), "\(result.errors)")
            #expect(
                result.errors.contains(".sql:") && result.errors.contains(" was running"), "\(result.errors)")
            #expect(result.output.isEmpty)
        }
        // Lint runs no row, so that it may come to an end.
        let result = try Tool(folder: folder).run("lint", "--timeout", "1s")
        #expect([0, 1, 2].contains(result.status))
        #expect(result.status != 2 || result.errors.contains("not finished after 1 s (the time limit)"))
    }

    /// The query that recognises a snapshot's history runs before any replay.
    @Test func aDumpThatNeverEndsIsStopped() throws {
        let folder = try project("SELECT 1;")
        try folder.write(
            "Snapshots/dump.sql", "CREATE TABLE t(a);\nINSERT INTO t \(Self.endless) SELECT n FROM r;\n")
        let result = try Tool(folder: folder).run("verify", "--no-cache", "--timeout", "1s")
        #expect(result.status == 1)
        #expect(result.output.contains("error[time-limit]"), "\(result.output)")
        #expect(result.output.contains("dump.sql:2 was running"), "\(result.output)")
    }

    /// What a statement may write is limited wherever it is stored.
    @Test func writesAreLimited() throws {
        let blobs = String(repeating: "INSERT INTO t VALUES (zeroblob(10000000));\n", count: 30)
        let folder = try project(blobs)
        let tool = Tool(folder: folder)
        let result = try tool.run("verify", "--no-cache", "--memory", "256MB")
        #expect(result.status == 1)
        #expect(result.output.contains("error[migration-failed]"), "\(result.output)")
        #expect(try tool.run("verify", "--no-cache", "--memory", "1GB").status == 0)
    }

    /// The finding says which limit was met where, and what raises it; what the checks write has room of its own.
    @Test(arguments: ["grdb", "nio"]) func theWrittenLimitIsNamed(_ engine: String) throws {
        let blob = "INSERT INTO t VALUES (zeroblob(10000000));\n"
        let tool = Tool(folder: try project(String(repeating: blob, count: 30)))
        let result = try tool.run("verify", "--no-cache", "--memory", "128MB", "--engine", engine)
        #expect(
            result.output.contains("v2 was stopped: it writes more than --memory allows"), "\(result.output)")
        #expect(!result.output.contains("data-dependent"), "\(result.output)")
        #expect(result.output.contains("More than 128 MB were written"), "\(result.output)")
        #expect(result.output.contains("Migrations/v2.sql:14:1"), "\(result.output)")
        #expect(result.output.contains("raise the limit with --memory"), "\(result.output)")
        #expect(!result.output.contains("disk is full"), "\(result.output)")
        #expect(!result.output.contains("cannot be trusted"), "\(result.output)")
        let legitimate = Tool(folder: try project(String(repeating: blob, count: 9)))
        let passed = try legitimate.run("verify", "--no-cache", "--memory", "128MB", "--engine", engine)
        #expect(passed.status == 0, "\(passed.output)")
        #expect(!passed.output.contains("not checked"), "\(passed.output)")
    }

    /// What a migration writes beyond 80 MB goes into temporary files. Where they have no room, the migration is not wrong.
    @Test(arguments: ["grdb", "nio"], [false, true])
    func aFullFolderForTemporaryFilesIsNamed(_ engine: String, _ isWayBack: Bool) throws {
        guard let disk = try SmallDisk(bytes: 1 << 20) else { return }
        let fill = "INSERT INTO t \(Self.endless.dropLast()) LIMIT 12) SELECT zeroblob(10000000) FROM r;\n"
        let folder = try project(isWayBack ? "CREATE TABLE u(a);" : fill)
        if isWayBack { try folder.write("Migrations/v2.down.sql", "DROP TABLE u;\n" + fill) }
        let tool = Tool(folder: folder, environment: ["TMPDIR": disk.path])
        let result = try tool.run(
            ["verify", "--no-cache", "--jobs", "1", "--engine", engine] + (isWayBack ? ["--rollback"] : []))
        #expect(result.status == 1, "\(result.output)")
        #expect(
            result.output.contains("v2 was stopped: what it writes cannot be stored in '\(disk.path)'"),
            "\(result.output)")
        #expect(result.output.contains("point TMPDIR to a folder that has room"), "\(result.output)")
        for text in ["data-dependent", "disk is full", "cannot be trusted"] {
            #expect(!result.output.contains(text), "\(result.output)")
        }
    }

    /// Where the project's own command could not be run, nothing is known of what it does.
    @Test(arguments: [true, false]) func aCopyWithoutRoomSaysNothingOfTheCommand(_ isFull: Bool) throws {
        guard let disk = try SmallDisk(bytes: 1 << 20) else { return }
        let folder = try TemporaryFolder()
        try PlainDatabase(folder.file("made.sqlite")).execute("CREATE TABLE t(x); CREATE TABLE u(y);")
        try PlainDatabase(folder.file("old.sqlite"))
            .execute("CREATE TABLE t(x); INSERT INTO t VALUES (zeroblob(2000000));")
        let tool = Tool(folder: folder, environment: ["TMPDIR": isFull ? disk.path : disk.path + "/nowhere"])
        let command = "cp made.sqlite \"$DRYDOCK_DATABASE\""
        let result = try tool.run("verify", "old.sqlite", "--migrate-command", command, "--format", "json")
        let report = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        let findings = report?["findings"] as? [[String: Any]] ?? []
        let failed = findings.filter { $0["rule"] as? String == "migration-failed" }
        #expect(result.status == 1 && failed.count == 1, "\(result)")
        #expect((failed.first?["message"] as? String)?.contains("' was not run: ") == true, "\(failed)")
        #expect((failed.first?["help"] as? String)?.contains("TMPDIR") == true, "\(failed)")
        #expect((failed.first?["tags"] as? [String])?.contains("not-checked") == true, "\(failed)")
    }

    /// A rehearsal has the limits of a replay, and leaves the database unchanged.
    @Test(arguments: ["grdb", "nio"]) func aRehearsalIsLimited(_ engine: String) throws {
        let folder = try project(Self.steps[0])
        let database = folder.file("Snapshots/snapshot.sqlite")
        let before = FileManager.default.contents(atPath: database)
        for more in [[], ["--apply"]] {
            let result = try Tool(folder: folder).run(
                ["migrate", database, "--timeout", "1s", "--engine", engine] + more)
            #expect(result.status == 1)
            #expect(result.output.contains("error[time-limit]"), "\(result.output)\(result.errors)")
            #expect(result.output.contains("Migrations/v2.sql:1 was running"), "\(result.output)")
        }
        #expect(FileManager.default.contents(atPath: database) == before)
        try folder.write("Migrations/v2.sql", "CREATE TABLE u AS SELECT zeroblob(100000000) AS b;")
        let large = try Tool(folder: folder).run("migrate", database, "--memory", "64MB", "--engine", engine)
        #expect(
            large.output.contains("v2 was stopped by Drydock's limit on memory, which is 64 MB"),
            "\(large.output)")
    }

    /// Compiling views over views takes time that doubles with each view, so lint does not compile them.
    @Test func lintCompilesNoViewOverTooManyViews() throws {
        let views =
            "CREATE VIEW w0 AS SELECT a FROM t;\n"
            + (1..<40).map { "CREATE VIEW w\($0) AS SELECT x.a FROM w\($0 - 1) x JOIN W\($0 - 1) y;\n" }
            .joined()
        let result = try Tool(folder: try project(views)).run("lint", "--timeout", "30m")
        #expect(
            result.output.contains("not checked: view-broken: view w39 was not compiled"), "\(result.output)")
        #expect(result.errors.isEmpty, "\(result.errors)")
    }

    /// Each of these cases once took half a minute: many statements, one long line, many CHECKs of a column.
    @Test(arguments: [
        (0..<5000).map { "INSERT INTO t VALUES (\($0));\n" }.joined(),
        "INSERT INTO t VALUES " + (0..<200_000).map { "(\($0))" }.joined(separator: ","),
        "ALTER TABLE t ADD COLUMN c" + String(repeating: " CHECK (1)", count: 20_000),
        String(repeating: "BEGIN;", count: 20_000),
        String(repeating: "-- drydock: deletes from t\n", count: 20_000) + "DELETE FROM t;",
    ]) func lintIsNotQuadratic(_ sql: String) throws {
        let result = try Tool(folder: try project(sql), processorSeconds: 45)
            .run("lint", "--timeout", "none")
        #expect([0, 1].contains(result.status), "\(result.errors)")
    }

    @Test(
        arguments: [
            "CREATE TABLE u AS SELECT randomblob(500000000) AS b;",
            "CREATE TABLE u AS SELECT group_concat(x) AS b FROM (\(endless), s(x) AS (SELECT hex(zeroblob(1000000)) FROM r LIMIT 1000) SELECT x FROM s);",
            "CREATE TABLE u AS SELECT replace(hex(zeroblob(100000)), '0', hex(zeroblob(100000))) AS b;",
            "PRAGMA temp_store = MEMORY; CREATE TEMP TABLE u AS \(endless) SELECT zeroblob(1000000) AS b FROM r;",
            "PRAGMA cache_size = 1000000; CREATE TABLE u AS \(endless) SELECT zeroblob(1000000) AS b FROM r LIMIT 1000;",
            "CREATE TABLE u AS SELECT json_group_array(x) AS b FROM (\(endless), s(x) AS (SELECT hex(zeroblob(1000000)) FROM r LIMIT 1000) SELECT x FROM s);",
        ], ["grdb", "nio"])
    func memoryIsLimited(_ step: String, _ engine: String) throws {
        let folder = try project("SELECT 1;\n" + step)
        let result = try Tool(folder: folder).run(
            "verify", "--no-cache", "--memory", "256MB", "--engine", engine, "--timeout", "30m")
        #expect(result.status == 1)
        #expect(result.output.contains("error[migration-failed]"), "\(result.output)")
        #expect(result.output.contains("v2.sql:2:"), "\(result.output)")
    }

    @Test func theLimitsAreReadAndChecked() throws {
        let folder = try project("CREATE TABLE u AS SELECT zeroblob(100000000) AS b;")
        try folder.write("drydock.yml", "memory: 64MB\ntimeout: 1m\n")
        #expect(
            try Tool(folder: folder).run("verify", "--no-cache").output.contains(
                "limit on memory, which is 64 MB"))
        #expect(try Tool(folder: folder).run("verify", "--no-cache", "--memory", "2GB").status == 0)
        #expect(
            try Tool(folder: folder).run("verify", "--no-cache", "--memory", "none", "--timeout", "none")
                .status == 0)
        for (option, value) in [
            ("--memory", "1"), ("--memory", "1MB"), ("--memory", "x"), ("--timeout", "0"),
        ] {
            let refused = try Tool(folder: folder).run("schema", "all.sql", option, value)
            #expect(refused.status == 64)
            #expect(option != "--memory" || refused.errors.contains("at least 16MB"), "\(refused.errors)")
        }
        try folder.write("drydock.yml", "memory: lots\n")
        let result = try Tool(folder: folder).run("verify")
        #expect(result.status == 2)
        #expect(result.errors.contains("drydock.yml:1"), "\(result.errors)")
        #expect(result.errors.contains("at least 16MB"), "\(result.errors)")
    }
}
