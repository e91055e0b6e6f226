import Drydock
import Foundation
import GRDBEngine
import TestTools
import Synchronization
import Testing

@testable import DrydockTestSupport

/// Checks that the database is unchanged, and that the message says why, whatever is in the way.
@Suite struct MigrateTroubleTests {
    @Test(arguments: ["delete", "wal"])
    func `a commit between rehearsal and lock repeats the rehearsal`(journal: String) async throws {
        let project = try MigrateCase(pragmas: "PRAGMA journal_mode = \(journal)")
        let path = project.path
        let count = Mutex(0)
        let report = try await project.migrate(
            .apply,
            onEvent: { event in
                guard case .step = event else { return }
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                guard isFirst else { return }
                try? PlainDatabase(path).execute("INSERT INTO person VALUES (1000, 'meanwhile')")
            })
        #expect(report.migrate?.outcome == .applied && report.migrate?.rehearsals == 2)
        let content = try MigrateCase.content(path)
        #expect(content["t person"]?.count == 401 && content["t pet"]?.count == 400)
        let backup = try #require(report.migrate?.backup)
        #expect(try PlainDatabase(backup).firstRow("SELECT count(*) FROM person") { $0.integer(0) } == 401)
    }

    @Test(arguments: ["delete", "wal"], ["IMMEDIATE", "EXCLUSIVE"])
    func `a writer's lock is waited for, then reported`(journal: String, lock: String) async throws {
        let project = try MigrateCase(pragmas: "PRAGMA journal_mode = \(journal)")
        let other = try PlainDatabase(project.path)
        try other.execute("BEGIN \(lock); UPDATE person SET name = 'x' WHERE id = 1")
        let result = try project.tool("--apply", "--busy-timeout", "200ms")
        #expect(
            result.status == 2 && result.errors.contains("another program has live.sqlite locked"),
            "\(result)")
        #expect(result.errors.contains("is unchanged") && result.errors.contains("--busy-timeout"))
        // What is committed can be read, except under an EXCLUSIVE lock in a rollback journal mode, and copied.
        #expect(try project.tool("--check").status == 1)
        try other.execute("COMMIT")
        #expect(try project.names().filter { $0.contains("backup") } == ["backups"])
        #expect(try project.tool("--apply").status == 0)
        #expect(try other.firstRow("SELECT name FROM person WHERE id = 1") { $0.string(0) } == "x")
    }

    @Test func `a reader is in the way only of a rollback journal`() async throws {
        for journal in ["delete", "wal"] {
            let project = try MigrateCase(pragmas: "PRAGMA journal_mode = \(journal)")
            let other = try PlainDatabase(project.path)
            try other.execute("BEGIN")
            #expect(try other.firstRow("SELECT count(*) FROM person") { $0.integer(0) } == 400)
            let result = try project.tool("--apply", "--busy-timeout", "200ms")
            #expect(result.status == (journal == "wal" ? 0 : 2), "\(result)")
            #expect(try other.firstRow("SELECT count(*) FROM person") { $0.integer(0) } == 400)
            try other.execute("COMMIT")
            #expect(try project.tool("--apply").status == 0)
        }
    }

    @Test func `a hot journal is rolled back first`() async throws {
        let project = try MigrateCase()
        let source = project.folder.file("tmp/source.sqlite")
        try FileManager.default.copyItem(atPath: project.path, toPath: source)
        let writer = try PlainDatabase(source)
        try writer.execute(
            "PRAGMA cache_size = 5; BEGIN; UPDATE person SET name = 'lost'; UPDATE pet SET name = 'lost'")
        for suffix in ["", "-journal"] {
            try? FileManager.default.removeItem(atPath: project.path + suffix)
            try FileManager.default.copyItem(atPath: source + suffix, toPath: project.path + suffix)
        }
        try writer.execute("ROLLBACK")
        let before = try project.folder.contents()
        #expect(try await project.migrate(.rehearsal).hasPassed)
        #expect(try project.folder.contents() == before)
        #expect(try await project.migrate(.apply).migrate?.outcome == .applied)
        let content = try MigrateCase.content(project.path)
        #expect(content["t person"]?.count == 400 && content["t pet"]?.count == 400)
        #expect(
            try PlainDatabase(project.path).firstRow("SELECT count(*) FROM pet WHERE name = 'lost'") {
                $0.integer(0)
            } == 0)
    }

    @Test func `a log of 100 MB is part of the database`() async throws {
        let project = try MigrateCase(pragmas: "PRAGMA journal_mode = wal")
        let other = try PlainDatabase(project.path)
        try other.execute(
            """
            PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF; CREATE TABLE blob(x);
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 100)
            INSERT INTO blob SELECT zeroblob(1000000) FROM s; DELETE FROM blob WHERE rowid > 3
            """)
        let log = try FileManager.default.attributesOfItem(atPath: project.path + "-wal")[.size] as? Int
        #expect(try #require(log) > 100_000_000)
        let result = try project.tool("--apply", "--no-backup")
        // That no migration creates the blob is not a new fault.
        #expect(
            result.status == 0 && result.output.contains("warning[schema-mismatch] (pre-existing)"),
            "\(result)")
        #expect(try other.firstRow("SELECT count(*) FROM pet") { $0.integer(0) } == 400)
        #expect(try other.firstRow("PRAGMA integrity_check") { $0.string(0) } == "ok")
    }

    @Test func `a cancelled migration leaves everything unchanged`() async throws {
        let endless =
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c;"
        let project = try MigrateCase([ToolProject.two, endless])
        // The fresh install would not end either.
        try project.folder.write(
            "Migrations/v3.sql",
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE EXISTS (SELECT 1 FROM person)) SELECT count(*) FROM c;"
        )
        let before = try project.folder.contents()
        let task = Mutex<Task<Report, any Error>?>(nil)
        let running = Task {
            try await project.migrate(
                .apply,
                onEvent: { event in
                    if case .step(migration: "v3", _, _) = event { task.withLock { $0?.cancel() } }
                })
        }
        task.withLock { $0 = running }
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(try project.folder.contents() == before)
    }

    @Test func `files that are not databases`() async throws {
        let project = try MigrateCase()
        let cases = [
            ("no.sqlite", "there is no database"), ("backups", "is a folder"),
            ("Migrations/v1.sql", "is not a SQLite database"),
            ("empty", "is empty"),
        ]
        try Data().write(to: URL(filePath: project.folder.file("empty")))
        for (name, message) in cases {
            for mode in [MigrateRequest.Mode.check, .rehearsal, .apply] {
                let refusal = try await project.refusal(mode) { $0.path = project.folder.file(name) }
                #expect(refusal.contains(message), "\(refusal)")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: project.folder.file("no.sqlite")))
    }

    @Test func `without permission to write it only rehearses, and says why`() throws {
        let project = try MigrateCase()
        let folder = project.folder
        func nobody(_ arguments: String...) throws -> Tool.Result {
            try Tool(folder: folder).run(
                ["migrate", "locked/live.sqlite", "-m", "Migrations", "--no-lock"] + arguments,
                asNobody: true)
        }
        try FileManager.default.createDirectory(
            atPath: folder.file("locked"), withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: project.path, toPath: folder.file("locked/live.sqlite"))
        guard Tool.isForNobody else { return }
        let modes: [(String, Int)] = [("locked/live.sqlite", 0o444), ("locked", 0o555)]
        for (name, mode) in modes {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file(name))
        }
        let result = try nobody()
        #expect(result.status == 0 && result.output.contains("rehearsed"), "\(result)")
        let refused = try nobody("--apply")
        #expect(
            refused.status == 2 && refused.errors.contains("cannot be written by this user"), "\(refused)")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o666], ofItemAtPath: folder.file("locked/live.sqlite"))
        let folderRefused = try nobody("--apply")
        #expect(folderRefused.errors.contains("journal beside the database"), "\(folderRefused)")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file("locked"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("locked")) == ["live.sqlite"])
    }

    /// Root may write any file, and no file here.
    @Test func `a read-only file system is named`() throws {
        let project = try MigrateCase(pragmas: "PRAGMA journal_mode = delete")
        guard let disk = try SmallDisk(bytes: 1 << 20) else { return }
        try FileManager.default.copyItem(atPath: project.path, toPath: disk.path + "/live.sqlite")
        try Data("old".utf8).write(to: URL(filePath: disk.path + "/old.json"))
        guard try disk.makeReadOnly() else { return }
        let tool = Tool(folder: project.folder)
        let live = disk.path + "/live.sqlite"
        let runs = [
            ["migrate", live, "--apply"], ["vacuum", live],
            ["migrate", project.path, "--apply", "--backup-folder", disk.path],
            ["migrate", project.path, "--apply", "--report", "json=\(disk.path)/new.json"],
            ["lint", "--report", "json=\(disk.path)/old.json"],
            ["stats", project.path, "--report", "json=\(disk.path)/old.json"],
        ]
        for arguments in runs {
            let result = try tool.run(arguments)
            #expect(result.status == 2 && result.errors.contains("read-only file system"), "\(result)")
            #expect(!result.errors.contains("this user"), "\(result.errors)")
            let isOld = arguments.last?.hasSuffix("old.json") == true
            #expect(result.errors.contains("the old report is still there") == isOld, "\(result.errors)")
        }
    }

    @Test(arguments: [true, false], ["delete", "wal"])
    func `a full disk`(isAsked: Bool, journal: String) async throws {
        let project = try MigrateCase(pragmas: "PRAGMA journal_mode = \(journal)")
        guard let disk = try SmallDisk(bytes: 1 << 20) else { return }
        let path = disk.path + "/live.sqlite"
        let fill = "CREATE TABLE ballast(x); INSERT INTO ballast VALUES (zeroblob(400000));"
        try PlainDatabase(project.path).execute(fill)
        try FileManager.default.copyItem(atPath: project.path, toPath: path)
        let before = try MigrateCase.content(path)
        // It fits without the migration's own rows.
        try project.folder.write(
            "Migrations/v2.sql",
            "CREATE TABLE more(x); INSERT INTO more VALUES (zeroblob(700000)); \(ToolProject.two)")
        for backup in [nil, MigrateRequest.Backup.none] {
            let refusal = try await DiskSpace.$isChecked.withValue(isAsked) {
                try await project.refusal(.apply) { ($0.path, $0.backup) = (path, backup) }
            }
            #expect(refusal.contains("full") || refusal.contains("bytes free"), "\(refusal)")
            let names = try FileManager.default.contentsOfDirectory(atPath: disk.path)
            let logs = ["live.sqlite-wal", "live.sqlite-shm"]
            #expect(names.filter { !logs.contains($0) }.count <= 2, "\(names)")
            // Read elsewhere: the room of a backup that was deleted is free only when this process lets go of it, and a
            // reader of a log needs some.
            let elsewhere = try TemporaryFolder()
            for name in names {
                try FileManager.default.copyItem(
                    atPath: disk.path + "/" + name, toPath: elsewhere.file(name))
            }
            #expect(try MigrateCase.content(elsewhere.file("live.sqlite")) == before)
        }
    }
}
