import Foundation
import Testing

@testable import DrydockMaintenance
@testable import DrydockTestSupport

@Suite struct LiveStateTests {
    @Test func `a link shows the files beside its target`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("data"), withIntermediateDirectories: true)
        let (path, link) = (folder.file("data/real.sqlite"), folder.file("link.sqlite"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let database = try PlainDatabase(path)
        try database.execute(
            "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(a); INSERT INTO t VALUES (1)"
        )
        let state = LiveState(link)
        #expect(state.isLogged && state.hasSharedMemory && (state.logSize ?? 0) > 0)
        #expect(state == LiveState(path))
    }

    /// A database whose writer was stopped, with its journal.
    private static func stopped(_ folder: TemporaryFolder, _ name: String = "copy.sqlite") throws -> String {
        let (path, copy) = (folder.file("app.sqlite"), folder.file(name))
        let writer = try PlainDatabase(path)
        try writer.execute(
            """
            CREATE TABLE IF NOT EXISTS t AS
              WITH s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 500) SELECT n, zeroblob(500) AS x FROM s;
            PRAGMA cache_size = 1; BEGIN; UPDATE t SET x = zeroblob(501)
            """)
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        try writer.execute("ROLLBACK")
        return copy
    }

    @Test func `a journal that stays while nobody writes is hot`() throws {
        let folder = try TemporaryFolder()
        let copy = try Self.stopped(folder)
        let look = JournalStatus(copy) { _ in nil }
        #expect(look.hotSize.map { $0 > 0 } == true && look.writer == nil)
        #expect(LiveState(copy).hotJournalSize == look.hotSize)
    }

    @Test func `a journal that a program is writing is not hot`() throws {
        let folder = try TemporaryFolder()
        let look = JournalStatus(try Self.stopped(folder)) { _ in 7 }
        #expect(look.hotSize == nil && look.writer == 7)
    }

    enum End: CaseIterable { case deleted, cutShort, cleared, anotherBegun }

    /// The writer commits after its journal is seen and before its lock is looked for.
    @Test(arguments: End.allCases)
    func `a journal whose writer ends meanwhile is not hot`(end: End) throws {
        let folder = try TemporaryFolder()
        let copy = try Self.stopped(folder)
        let journal = copy + "-journal"
        let other = try Data(contentsOf: URL(filePath: try Self.stopped(folder, "other.sqlite") + "-journal"))
        let look = JournalStatus(copy) { _ in
            do {
                switch end {
                case .deleted: try FileManager.default.removeItem(atPath: journal)
                case .cutShort: try Data().write(to: URL(filePath: journal))
                case .cleared: try Data(count: 512).write(to: URL(filePath: journal))
                case .anotherBegun: try other.write(to: URL(filePath: journal))
                }
            } catch { Issue.record(error) }
            return nil
        }
        #expect(look.hotSize == nil)
    }
}
