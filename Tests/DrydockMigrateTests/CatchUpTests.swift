import DatabaseEngine
import Drydock
import Foundation
import OverlayVFS
import TestTools
import Synchronization
import Testing

@testable import DrydockFindings
@testable import DrydockMaintenance
@testable import DrydockMigrate
@testable import DrydockTestSupport

/// Checks that the state which is rehearsed is, byte for byte, what the database holds, whatever others commit, move to the
/// file or take back between the copy and the lock; and that nothing of it is lost.
@Suite struct CatchUpTests {
    @Test(
        arguments: LoggedInstallTests.Driver.allCases,
        [
            "page_size = 512", "page_size = 4096", "page_size = 65536",
            "page_size = 1024; PRAGMA auto_vacuum = full",
            "page_size = 2048; PRAGMA auto_vacuum = incremental",
        ])
    func `what is known is what the database holds`(
        driver: LoggedInstallTests.Driver, pragma: String
    ) async throws {
        for seed in seeds(1, of: 3, soak: 60) {
            var fixture = try Fixture("\(pragma); PRAGMA journal_mode = wal", seed: UInt64(seed))
            for _ in 0..<fixture.random.below(4) { try fixture.act() }
            let copier = LiveCopier(engine: driver.engine, path: fixture.path, stop: StopFlag())
            let copy = try await copier.copy(into: fixture.folder.path)
            var known = try Overlay(snapshot: copy.path).freeze().image
            #expect(try fixture.bytes(known) == fixture.bytes())
            for _ in 0..<fixture.random.below(4) { try fixture.act() }
            let held = try await fixture.open(driver.engine)
            #expect(!held.isAlone)
            let catchUp = CatchUp(held, from: known)
            var written: Image?
            for round in 0..<8 {
                for _ in 0..<fixture.random.below(4) { try fixture.act() }
                // As after its time.
                if fixture.random.below(4) == 0 { await catchUp.end() }
                for _ in 0..<fixture.random.below(3) { try fixture.act() }
                if round == 7 {
                    try await catchUp.lock()
                    try fixture.writer.execute("PRAGMA busy_timeout = 0")
                    #expect(throws: PlainDatabase.Failure.self) {
                        try fixture.writer.execute("DELETE FROM t")
                    }
                    _ = try fixture.writer.literals("PRAGMA wal_checkpoint(TRUNCATE)")
                }
                if let later = try await catchUp.advance() { known = later }
                #expect(try fixture.bytes(known) == fixture.bytes(), "seed \(seed), round \(round)")
                guard fixture.random.below(2) == 0 || round == 7 else { continue }
                try copy.update(with: known, since: written)
                written = known
                #expect(
                    try Data(contentsOf: URL(filePath: copy.path)) == fixture.bytes(),
                    "the copy's file, seed \(seed), round \(round)")
            }
            #expect(try await catchUp.advance() == nil)
            await catchUp.end()
            _ = await held.release()
            try fixture.writer.execute("DELETE FROM t")
        }
    }

    @Test(arguments: ["delete", "wal"])
    func `all bytes are compared where all others are locked out`(journal: String) async throws {
        for seed in 1...4 {
            var fixture = try Fixture(
                "page_size = 1024; PRAGMA journal_mode = \(journal)", seed: UInt64(seed))
            let driver = LoggedInstallTests.Driver.grdb
            let copier = LiveCopier(engine: driver.engine, path: fixture.path, stop: StopFlag())
            let copy = try await copier.copy(into: fixture.folder.path)
            let base = try Overlay(snapshot: copy.path).freeze().image
            for _ in 0..<3 { try fixture.act() }
            try fixture.writer.execute("UPDATE t SET x = 'the last' WHERE id = 7")
            fixture.writer = try PlainDatabase()
            let held = try await fixture.open(driver.engine)
            #expect(held.isAlone)
            let catchUp = CatchUp(held, from: base)
            try await catchUp.lock()
            let later = try #require(try await catchUp.advance())
            #expect(try fixture.bytes(later) == fixture.bytes())
            #expect(try await catchUp.advance() == nil)
            await catchUp.end()
            _ = await held.release()
        }
    }

    /// Such a checkpoint keeps all programs from writing while it waits for readers.
    @Test func `a checkpoint that waits for the read transaction goes first`() async throws {
        let fixture = try Fixture("journal_mode = wal", seed: 1)
        let driver = LoggedInstallTests.Driver.grdb
        let copier = LiveCopier(engine: driver.engine, path: fixture.path, stop: StopFlag())
        let copy = try await copier.copy(into: fixture.folder.path)
        try fixture.writer.execute("UPDATE t SET x = 'before the look' WHERE id = 7")
        let held = try await fixture.open(driver.engine, timeout: .seconds(600))
        let catchUp = CatchUp(held, from: try Overlay(snapshot: copy.path).freeze().image)
        _ = try await catchUp.advance()
        try fixture.writer.execute("UPDATE t SET x = 'after the look' WHERE id = 8")
        nonisolated(unsafe) let other = try PlainDatabase(fixture.path)
        try other.execute("PRAGMA busy_timeout = 600000")
        let isOver = Mutex(false)
        let checkpoint = Task.detached {
            defer { isOver.withLock { $0 = true } }
            return try other.firstRow("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) }
        }
        try fixture.writer.execute("PRAGMA busy_timeout = 0")
        // It waits, unless the transaction has ended by itself.
        while !isOver.withLock({ $0 }), (try? fixture.writer.execute("BEGIN IMMEDIATE; ROLLBACK")) != nil {
            await Task.yield()
        }
        try await catchUp.lock()
        #expect(try await checkpoint.value == 0)
        let later = try #require(try await catchUp.advance())
        #expect(try fixture.bytes(later) == fixture.bytes())
        await catchUp.end()
        #expect(await held.release().isEmpty)
    }

    /// What another program does in each rehearsal.
    enum Meanwhile: CaseIterable {
        case commits, checkpoints, grows, shrinks, changesTheSchema, opensForEachCommit

        func sql(_ number: Int) -> String {
            let insert = "INSERT INTO person VALUES (\(1000 + number), 'meanwhile')"
            return switch self {
            case .commits, .opensForEachCommit: insert
            case .checkpoints: "\(insert); PRAGMA wal_checkpoint(TRUNCATE)"
            case .grows:
                "\(insert); INSERT INTO pet SELECT id + 1000 * \(number + 1), id, hex(zeroblob(300)) FROM person LIMIT 99"
            case .shrinks: "\(insert); DELETE FROM pet WHERE id % 5 = \(number % 5); VACUUM"
            case .changesTheSchema: "\(insert); CREATE INDEX i\(number) ON pet(name)"
            }
        }
    }

    @Test(
        arguments: few(
            16,
            of: LoggedInstallTests.Driver.allCases.flatMap { driver in
                Meanwhile.allCases.flatMap { meanwhile in
                    ["page_size = 512", "page_size = 4096", "page_size = 65536", "auto_vacuum = full"].map {
                        (driver, meanwhile, $0)
                    }
                }
            }))
    func `what others commit until the lock is in the result and in the backup`(
        driver: LoggedInstallTests.Driver, meanwhile: Meanwhile, pragma: String
    ) async throws {
        let project = try MigrateCase(pragmas: "PRAGMA \(pragma)", "PRAGMA journal_mode = wal")
        let path = project.path
        nonisolated(unsafe) let kept = meanwhile == .opensForEachCommit ? nil : try PlainDatabase(path)
        try kept?.execute("SELECT count(*) FROM person")
        let before = Mutex<(commits: Int, content: [String: [[String]]])>((0, [:]))
        let report = try await project.migrate(
            .apply, engine: driver.engine,
            onEvent: { event in
                guard case .step(migration: "v2", _, _) = event else { return }
                before.withLock { before in
                    guard let other = try? kept ?? PlainDatabase(path) else { return }
                    try? other.execute("PRAGMA busy_timeout = 0")
                    // The last rehearsal is under the lock.
                    guard (try? other.execute(meanwhile.sql(before.commits))) != nil else { return }
                    before.commits += 1
                    before.content = (try? MigrateCase.content(path)) ?? [:]
                }
            })
        let (commits, old) = before.withLock { $0 }
        let summary = try #require(report.migrate)
        #expect(summary.outcome == .applied, "\(report.findings.map(\.line))")
        #expect(commits >= 1 && summary.rehearsals == commits + 1, "\(commits) \(summary.rehearsals)")
        if meanwhile != .opensForEachCommit { #expect(commits >= 2) }
        let content = try MigrateCase.content(path)
        #expect(content["t person"]?.count == 400 + commits)
        #expect(content["t pet"]?.count == old["t pet"]?.count)
        #expect(content["integrity"] == [["ok"]] || content["integrity"] == old["integrity"])
        #expect(content["keys"] == [])
        #expect(content["t grdb_migrations"]?.count == 4)
        let backup = try MigrateCase.content(try #require(summary.backup))
        for (key, value) in old { #expect(backup[key] == value, "\(key)") }
        #expect(backup.count == old.count)
    }

    /// Migrates a database that another program has open, which does something once, during the first rehearsal.
    private func migrate(
        _ project: MigrateCase, meanwhile act: @escaping @Sendable (PlainDatabase) -> Void
    ) async throws -> Report {
        nonisolated(unsafe) let other = try PlainDatabase(project.path)
        try other.execute("SELECT count(*) FROM person")
        let isFirst = Mutex(true)
        return try await project.migrate(
            .apply,
            onEvent: { event in
                guard case .step = event else { return }
                isFirst.withLock { isFirst in
                    if isFirst { act(other) }
                    isFirst = false
                }
            })
    }

    @Test func `a migration that others make impossible meanwhile is refused before the lock`() async throws {
        let project = try MigrateCase(
            ["CREATE UNIQUE INDEX person_name ON person(name);"], pragmas: "PRAGMA journal_mode = wal")
        let report = try await migrate(project) { other in
            try? other.execute("INSERT INTO person VALUES (500, 'person 1')")
        }
        #expect(report.rules(.error) == [.migrationFailed])
        #expect(report.migrate?.outcome == .refused && report.migrate?.rehearsals == 2)
        #expect(report.migrate?.lockSeconds == nil)
        let content = try MigrateCase.content(project.path)
        #expect(content["t person"]?.count == 401 && content["t grdb_migrations"]?.count == 1)
        #expect(try project.names().filter { $0.contains("backup") } == ["backups"])
    }

    @Test func `damage that comes meanwhile is found`() async throws {
        let project = try MigrateCase(
            ["CREATE TABLE extra(x);"], pragmas: "PRAGMA journal_mode = wal",
            rows: "CREATE INDEX pet_name ON pet(name);")
        let path = project.path
        let report = try await migrate(project) { other in
            // A row whose entry in the index is missing.
            try? other.execute(
                """
                PRAGMA writable_schema = on;
                UPDATE sqlite_schema SET sql = sql || ' WHERE name = 0' WHERE name = 'pet_name'
                """)
            try? PlainDatabase(path).execute("INSERT INTO pet VALUES (9000, 1, 'without')")
            try? other.execute(
                """
                UPDATE sqlite_schema SET sql = replace(sql, ' WHERE name = 0', '') WHERE name = 'pet_name'
                """)
        }
        #expect(report.rules(.error) == [.integrityFailure])
        #expect(report.migrate?.outcome == .refused)
        #expect(report.findings.contains { $0.message.contains("row 401 missing from index pet_name") })
    }
}

/// A live database with a writer.
private struct Fixture {
    let folder: TemporaryFolder
    var writer: PlainDatabase
    var random: SeededGenerator
    private var number = 0

    var path: String { folder.file("live.sqlite") }

    init(_ pragma: String, seed: UInt64) throws {
        folder = try TemporaryFolder()
        random = SeededGenerator(seed: seed)
        writer = try PlainDatabase(folder.file("live.sqlite"))
        // A small cache writes frames of a transaction that may be rolled back.
        try writer.execute(
            """
            PRAGMA \(pragma); PRAGMA wal_autocheckpoint = 50; PRAGMA cache_size = 10;
            CREATE TABLE t(id INTEGER PRIMARY KEY, x, y); CREATE INDEX i ON t(x);
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 400)
            INSERT INTO t SELECT n, 'row ' || n, zeroblob(n) FROM s
            """)
    }

    func open(_ engine: any Engine, timeout: Duration = .seconds(1)) async throws -> HeldDatabase {
        try await HeldDatabase.open(engine: engine, path: path, timeout: timeout, stop: StopFlag())
    }

    mutating func act() throws {
        number += 1
        let row = random.below(400) + 1
        let sql = random.pick([
            "UPDATE t SET x = 'changed \(number)' WHERE id = \(row)",
            "UPDATE t SET y = zeroblob(\(random.below(5000))) WHERE id % 40 = \(row % 40)",
            "DELETE FROM t WHERE id BETWEEN \(row) AND \(row + 60)",
            "INSERT OR REPLACE INTO t(id, x, y) SELECT id + 3, 'new \(number)', zeroblob(300) FROM t",
            "CREATE TABLE n\(number)(a PRIMARY KEY, b); INSERT INTO n\(number) SELECT x || id, y FROM t LIMIT 50",
            "ALTER TABLE t ADD COLUMN c\(number) DEFAULT 7",
            "DROP INDEX IF EXISTS i; CREATE INDEX i ON t(x, id)",
            "BEGIN; UPDATE t SET x = x || 'lost'; ROLLBACK", "DELETE FROM t WHERE id % 4 > 0; VACUUM",
            "PRAGMA incremental_vacuum", "PRAGMA user_version = \(number)",
            "PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(FULL)", "PRAGMA wal_checkpoint(RESTART)",
            "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA wal_checkpoint(TRUNCATE)",
        ])
        // A checkpoint does not wait for the reader.
        try writer.execute("PRAGMA busy_timeout = 1")
        if random.below(5) == 0 {
            let other = try PlainDatabase(path)
            try other.execute("PRAGMA busy_timeout = 1; \(sql)")
        } else {
            try writer.execute(sql)
        }
    }

    /// Returns the database as SQLite reads it from the files alone.
    func bytes() throws -> Data {
        let copy = folder.file("recovered.sqlite")
        // Another process copies: to close the file here would drop the locks of the connections.
        let process = ChildProcess()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", "rm -f \"$1\"*; cp \"$0\" \"$1\"; [ ! -e \"$0-wal\" ] || cp \"$0-wal\" \"$1-wal\"", path,
            copy,
        ]
        try process.run()
        process.waitUntilExit()
        try PlainDatabase(copy).execute("SELECT count(*) FROM t; PRAGMA wal_checkpoint(TRUNCATE)")
        return try Data(contentsOf: URL(filePath: copy))
    }

    func bytes(_ image: Image) throws -> Data {
        var data = Data(count: image.byteCount)
        try data.withUnsafeMutableBytes { try image.read(into: $0, at: 0) }
        return data
    }
}
