import Foundation
import GRDBEngine
import OverlayVFS
import Testing

@testable import DrydockFindings
@testable import DrydockMigrate
@testable import DrydockTestSupport

/// Checks that SQLite rolls back a journal that Drydock wrote, wherever the writes stopped.
@Suite struct RollbackJournalTests {
    @Test(arguments: [512, 1024, 4096, 65536], ["delete", "wal"])
    func `an interrupted write is rolled back`(pageSize: Int, journal: String) throws {
        let folder = try TemporaryFolder()
        let (old, new) = (folder.file("old.sqlite"), folder.file("new.sqlite"))
        try PlainDatabase(old).execute(
            """
            PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = full; PRAGMA journal_mode = \(journal);
            CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE TABLE u(x);
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 300)
            INSERT INTO t SELECT n, randomblob(n) FROM s; INSERT INTO u VALUES (randomblob(200000))
            """)
        for change in [
            "DROP TABLE u", "INSERT INTO t SELECT id + 300, x || x FROM t",
            "UPDATE t SET x = 1 WHERE id % 9 = 0",
        ] {
            try? FileManager.default.removeItem(atPath: new)
            try FileManager.default.copyItem(atPath: old, toPath: new)
            try PlainDatabase(new).execute(change)
            let bytes = try Data(contentsOf: URL(filePath: old))
            let images = try [old, new].map { try Overlay(snapshot: $0).freeze().image }
            let delta = try #require(try PageDelta(from: images[0], to: images[1]))
            #expect(delta.pages.first == 1 && delta.pages.count < bytes.count / pageSize)
            for share in [0, 1, 2, 4] {
                let path = folder.file("live \(share).sqlite")
                try? FileManager.default.removeItem(atPath: path)
                try FileManager.default.copyItem(atPath: old, toPath: path)
                _ = try RollbackJournal(of: path, delta: delta)
                let written = delta.written.prefix(delta.written.count * share / 4)
                try spoil(path, written, pageSize, truncates: share == 4 ? images[1].byteCount : nil)
                let database = try PlainDatabase(path)
                #expect(try database.firstRow("PRAGMA integrity_check") { $0.string(0) } == "ok")
                #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
                #expect(try Data(contentsOf: URL(filePath: path)) == bytes, "\(change), \(share)")
            }
        }
    }

    @Test func `a commit counts even if the folder cannot be synced`() throws {
        let folder = try TemporaryFolder()
        let (old, new) = (folder.file("old.sqlite"), folder.file("new.sqlite"))
        try PlainDatabase(old).execute("CREATE TABLE t(x)")
        try FileManager.default.copyItem(atPath: old, toPath: new)
        try PlainDatabase(new).execute("INSERT INTO t VALUES (1)")
        let images = try [old, new].map { try Overlay(snapshot: $0).freeze().image }
        let delta = try #require(try PageDelta(from: images[0], to: images[1]))
        for isKept in [true, false] {
            let journal = try RollbackJournal(of: old, delta: delta)
            var hasEnded = false
            let isDurable = try journal.commit(didEnd: { hasEnded = true }) { _ in
                if !isKept { throw RequestError("no") }
            }
            #expect(isDurable == isKept && hasEnded)
            #expect(!FileManager.default.fileExists(atPath: old + "-journal"))
            // A second commit fails, because the journal is gone.
            hasEnded = false
            #expect(throws: RequestError.self) { try journal.commit(didEnd: { hasEnded = true }) }
            #expect(!hasEnded)
        }
        try RollbackJournal.syncLog(of: old)
        try Data().write(to: URL(filePath: old + "-wal"))
        try RollbackJournal.syncLog(of: old)
    }

    /// Overwrites pages with anything, as a write that a crash cut short may.
    private func spoil(_ path: String, _ pages: ArraySlice<UInt32>, _ size: Int, truncates: Int?) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        for page in pages {
            try file.seek(toOffset: UInt64(Int(page - 1) * size))
            file.write(Data(repeating: 0xEE, count: size))
        }
        if let truncates { try file.truncate(atOffset: UInt64(truncates)) }
        try file.close()
    }
}
