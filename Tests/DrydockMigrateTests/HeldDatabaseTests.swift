import DatabaseEngine
import Foundation
import OverlayVFS
import Testing

@testable import DrydockFindings
@testable import DrydockMigrate
@testable import DrydockTestSupport

/// Checks that no error is lost between locking a database and releasing it, and that what is said of the content is
/// true.
@Suite struct HeldDatabaseTests {
    private let folder: TemporaryFolder
    private let engine = FailingEngine()
    private var path: String { folder.file("live.sqlite") }
    private var newPath: String { folder.file("new.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Makes the database, and returns the state that is to be installed.
    private func prepare(_ journal: String, pageSize: Int = 4096) throws -> Image {
        try PlainDatabase(path).execute(
            """
            PRAGMA journal_mode = \(journal); CREATE TABLE t(id INTEGER PRIMARY KEY, x);
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 300)
            INSERT INTO t SELECT n, hex(zeroblob(n)) FROM s
            """)
        try FileManager.default.copyItem(atPath: path, toPath: newPath)
        let writer = try PlainDatabase(newPath)
        if pageSize != 4096 {
            try writer.execute("PRAGMA journal_mode = delete; PRAGMA page_size = \(pageSize); VACUUM")
        }
        try writer.execute("INSERT INTO t SELECT id + 300, x FROM t")
        try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return try Overlay(snapshot: newPath).freeze().image
    }

    private func take(appends: Bool = true) async throws -> HeldDatabase {
        try await HeldDatabase.take(
            engine: engine, path: path, timeout: .milliseconds(300), stop: StopFlag(), appends: appends)
    }

    private func count() throws -> Int64? {
        try PlainDatabase(path).firstRow("SELECT count(*) FROM t") { $0.integer(0) }
    }

    /// Another page size goes through the backup API, which cannot change it in WAL mode.
    @Test(arguments: [("delete", 4096), ("wal", 4096), ("delete", 1024)])
    func `an error after the commit does not undo it, and is reported`(
        journal: String, pageSize: Int
    ) async throws {
        let end = try prepare(journal, pageSize: pageSize)
        let held = try await take()
        #expect(held.isAlone)
        // An image of the live file itself would change with it.
        let copy = folder.file("copy.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let base = try Overlay(snapshot: copy).freeze().image
        // The backup API begins in a call of its own.
        engine.plan.fail(.after(1), skipping: pageSize == 4096 ? 0 : 1)
        guard
            case .installed(let isDurable, let error?) = try await held.install(
                end, over: base, progress: { _, _ in true })
        else {
            Issue.record("the error was lost")
            return
        }
        #expect(isDurable && "\(error)" == FailingEngine.failure.message)
        #expect(try await held.isInstalled(end) == true)
        #expect(await held.release().isEmpty)
        #expect(try count() == 600)
    }

    @Test func `an error of the connection that watches others is not a commit of theirs`() async throws {
        let end = try prepare("wal")
        let other = try PlainDatabase(path)
        #expect(try other.firstRow("SELECT count(*) FROM t") { $0.integer(0) } == 300)
        let held = try await take(appends: false)
        #expect(!held.isAlone)
        let base = try await held.image()
        // The first connection could not lock the others out; the second writes, and the third watches.
        engine.plan.fail(.before(3), skipping: 1)
        await #expect(throws: EngineError.self) {
            _ = try await held.install(end, over: base, progress: { _, _ in true })
        }
        #expect(await held.release().isEmpty)
        try other.execute("INSERT INTO t VALUES (1000, '')")
        #expect(try count() == 301)
    }

    @Test func `a commit of another program is not overwritten`() async throws {
        let end = try prepare("wal")
        let other = try PlainDatabase(path)
        #expect(try other.firstRow("SELECT count(*) FROM t") { $0.integer(0) } == 300)
        let held = try await take(appends: false)
        let base = try await held.image()
        guard case .installed(_, nil) = try await held.install(end, over: base, progress: { _, _ in true })
        else {
            Issue.record("not installed")
            return
        }
        try other.execute("DELETE FROM t WHERE id > 10")
        #expect(try await held.isInstalled(end) == nil)
        #expect(await held.release().isEmpty)
        #expect(try count() == 10)
    }

    @Test func `pages that are appended to the log are read again before others can write`() async throws {
        let end = try prepare("wal")
        let other = try PlainDatabase(path)
        try other.execute("PRAGMA busy_timeout = 0; SELECT count(*) FROM t")
        let held = try await take()
        let base = try await held.image()
        // An error of the connection that holds the lock comes too late for the commit.
        engine.plan.fail(.after(2))
        guard case .installed(true, nil) = try await held.install(end, over: base, progress: { _, _ in true })
        else {
            Issue.record("not installed")
            return
        }
        #expect(throws: PlainDatabase.Failure.self) { try other.execute("DELETE FROM t") }
        #expect(try await held.isInstalled(end) == true)
        #expect(try other.firstRow("SELECT count(*) FROM t") { $0.integer(0) } == 600)
        #expect(await held.release().isEmpty)
        try other.execute("DELETE FROM t WHERE id > 10")
        #expect(try count() == 10)
    }

    @Test func `an installation in the log that is stopped leaves nothing`() async throws {
        let end = try prepare("wal")
        let other = try PlainDatabase(path)
        try other.execute("UPDATE t SET x = 'in the log' WHERE id = 1")
        let held = try await take()
        let base = try await held.image()
        await #expect(throws: EngineError.self) {
            _ = try await held.install(end, over: base, progress: { _, _ in false })
        }
        #expect(await held.release().isEmpty)
        try other.execute("UPDATE t SET x = 'afterwards' WHERE id = 2")
        #expect(try count() == 300)
    }

    @Test(arguments: ["delete", "wal"], [true, false])
    func `what was written in vain is rolled back, or is reported`(journal: String, isOpened: Bool)
        async throws
    {
        let end = try prepare(journal)
        let held = try await take()
        let base = try await held.image()
        let newPath = newPath
        await #expect(throws: OverlayError.self) {
            // The journal is written, and then the new pages cannot be read.
            _ = try await held.install(end, over: base) { done, _ in
                if done == 0 { truncate(newPath, 0) }
                return true
            }
        }
        // The first was the lock's and the second read the image.
        if !isOpened { engine.plan.fail(.open(3)) }
        let faults = await held.release()
        let journalExists = FileManager.default.fileExists(atPath: path + "-journal")
        if isOpened {
            #expect(faults.isEmpty && !journalExists, "\(faults)")
        } else {
            #expect(faults.count == 1 && journalExists, "\(faults)")
            #expect("\(faults)".contains("were not rolled back (the test's error)"), "\(faults)")
        }
        #expect(try count() == 300)
        #expect(try PlainDatabase(path).firstRow("PRAGMA integrity_check") { $0.string(0) } == "ok")
    }

    @Test func `a connection that does not close is reported`() async throws {
        _ = try prepare("delete")
        let held = try await take()
        engine.plan.fail(.close(1))
        let faults = await held.release()
        #expect(faults.map(\.description) == ["it could not be closed cleanly: the test's error"])
        #expect(try count() == 300)
    }
}
