import CSQLite
import Foundation
import Testing

@testable import OverlayVFS

private let thirtyMegabytes = """
    with n(i) as (select 1 union all select i + 1 from n where i < 3000)
    insert into t select i, i || '-' || hex(zeroblob(5000)) from n
    """

@Suite struct SpillTests {
    @Test func anOverlayBeyondItsMemoryLimitUsesAFile() throws {
        let overlay = try Overlay(memoryLimit: 1 << 20)
        let database = try Database(overlay)
        try database.execute("create table t(a integer primary key, b)")
        try database.execute(thirtyMegabytes)
        let image = overlay.freeze().image
        #expect(image.byteCount > 30_000_000)
        try database.execute(
            """
            update t set b = 'new' || b where a % 2; begin; delete from t where a % 3 = 0; rollback;
            vacuum
            """)
        let check =
            "select count(*), sum(b like a || '-0%'), sum(b like 'new' || a || '-%'), sum(length(b)) from t"
        #expect(try database.rows(check) == [["3000", "1500", "1500", "30018393"]])
        #expect(try database.value("pragma integrity_check") == "ok")
        #expect(
            try Database(try Overlay(image)).rows("select count(*), sum(b like a || '-0%') from t") == [
                ["3000", "3000"]
            ])
        #expect(overlay.fault == nil)
    }

    @Test func temporaryFilesAreCounted() throws {
        let meter = SpillMeter()
        try Overlay.$spillMeter.withValue(meter) {
            for _ in 0..<2 {
                let store = BlockStore(memoryLimit: 0)
                let blocks = try (0..<300).map { _ in try store.makeBlock() }
                let bytes = blocks.count * Block.size
                #expect(meter.peak >= bytes && meter.peak < bytes + BlockStore.chunkSize)
            }
        }
    }

    @Test func freedBlocksAreUsedAgain() throws {
        let store = BlockStore(memoryLimit: 1 << 20)
        var blocks = try (0..<300).map { _ in try store.makeBlock() }
        let known = Set(blocks.map(\.bytes))
        blocks = []
        blocks = try (0..<300).map { _ in try store.makeBlock() }
        #expect(Set(blocks.map(\.bytes)) == known)
    }

    /// Runs in another process, since the limit applies to the whole process.
    @Test func aFullDiskIsOnlyAnError() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 8 << 20, rlim_max: 8 << 20)
            #expect(setrlimit(fileSizeLimit, &limit) == 0)
            let overlay = try Overlay(memoryLimit: 0)
            let database = try Database(overlay)
            try database.execute(
                """
                create table t(a integer primary key, b); insert into t values (-1, 'kept')
                """)
            #expect { try database.execute(thirtyMegabytes) } throws: {
                ($0 as? SQLiteError)?.code == SQLITE_FULL
            }
            guard case .spillFailed(_, EFBIG) = overlay.fault else {
                throw SQLiteError(code: 0, message: "\(overlay.fault as Any)", sql: "")
            }
            #expect(try database.rows("select * from t") == [["-1", "kept"]])
            #expect(try database.value("pragma integrity_check") == "ok")
        }
    }

    @Test func aMissingFolderForTemporaryFilesIsAnError() async {
        await #expect(processExitsWith: .success) {
            setenv("TMPDIR", "/nowhere-at-all", 1)
            let overlay = try Overlay(memoryLimit: 0)
            let database = try Database(overlay)
            #expect { try database.execute("create table t(a)") } throws: {
                ($0 as? SQLiteError)?.code == SQLITE_FULL
            }
            #expect(overlay.fault == .spillFailed(directory: "/nowhere-at-all", errno: ENOENT))
        }
    }
}
