import CSQLite
import Foundation
import TestTools
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
                #expect(meter.peak >= bytes && meter.peak < bytes + BlockStore.spillChunkSize)
            }
        }
    }

    /// A rollback journal repeats the pages of its database, which are not stored twice.
    @Test(arguments: ["delete", "truncate", "persist"]) func aJournalTakesLittleRoom(mode: String) throws {
        let folder = Folder()
        let path = try folder.database("a.db", "create table t(a integer primary key, b); " + thirtyMegabytes)
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        let meter = SpillMeter()
        try Overlay.$spillMeter.withValue(meter) {
            let overlay = try Overlay(snapshot: path, memoryLimit: 0)
            let database = try Database(overlay)
            let sum = "select count(*), sum(b like a || '-0%'), sum(length(b)) from t"
            let before = try database.rows(sum)
            try database.execute("pragma cache_size = 10; pragma journal_mode = \(mode)")
            try database.execute("begin; update t set b = 'x' || b; rollback")
            #expect(try database.rows(sum) == before)
            #expect(try database.value("pragma integrity_check") == "ok")
            try database.execute("update t set b = 'x' || b")
            #expect(try database.value("select sum(b like 'x' || a || '-0%') from t") == "3000")
            #expect(meter.peak < size + size / 2)
            #expect(overlay.fault == nil)
        }
    }

    /// A state in the midst of a transaction has a journal of its own.
    @Test func aStateWithAJournalIsRolledBack() throws {
        let folder = Folder()
        let path = try folder.database("a.db", "create table t(a integer primary key, b); " + thirtyMegabytes)
        let overlay = try Overlay(snapshot: path)
        let database = try Database(overlay)
        try database.execute("pragma cache_size = 10; begin; update t set b = 'x' || b")
        let image = overlay.freeze().image
        try database.execute("commit")
        let recovered = try Database(try Overlay(image))
        #expect(try recovered.value("select sum(b like a || '-0%') from t") == "3000")
        #expect(try recovered.value("pragma integrity_check") == "ok")
        #expect(try database.value("select sum(b like 'x' || a || '-0%') from t") == "3000")
    }

    /// Blocks move to the file while others are written.
    @Test func severalThreadsFillOneStore() throws {
        let store = BlockStore(memoryLimit: 0)
        let files = (0..<4).map { _ in OverlayFile(.empty, store: store) }
        let size = 2000 * Block.size
        DispatchQueue.concurrentPerform(iterations: files.count) { number in
            var random = SeededGenerator(seed: number)
            for round in 0..<6000 {
                let place = round < 2000 ? round : random.int(0...1999)
                let value = UInt64(number) << 32 | UInt64(place)
                withUnsafeBytes(of: value) { try? files[number].write($0, at: place * Block.size + 8) }
            }
        }
        for (number, file) in files.enumerated() {
            #expect(file.size == size - Block.size + 16)
            for place in 0..<2000 {
                var value: UInt64 = 0
                _ = try withUnsafeMutableBytes(of: &value) {
                    try file.read(into: $0, at: place * Block.size + 8)
                }
                #expect(value == UInt64(number) << 32 | UInt64(place))
            }
        }
    }

    @Test func freedBlocksAreUsedAgain() throws {
        let store = BlockStore(memoryLimit: 1 << 20)
        var blocks = try (0..<300).map { _ in try store.makeBlock() }
        let known = Set(blocks.map(\.contents.baseAddress))
        blocks = []
        blocks = try (0..<300).map { _ in try store.makeBlock() }
        #expect(Set(blocks.map(\.contents.baseAddress)) == known)
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

    @Test(arguments: [
        (ENOENT, "Create the folder"), (ENOTDIR, "Create the folder"), (EROFS, "can be written"),
        (EACCES, "can be written"), (EMFILE, "ulimit -n"), (EFBIG, "ulimit -f"), (ENOSPC, "Free space"),
    ]) func theRemedyIsOneForTheCause(_ code: Int32, _ remedy: String) {
        let text = "\(OverlayError.spillFailed(directory: "/there", errno: code))"
        #expect(text.contains("/there") && text.contains(remedy), "\(text)")
        #expect(text.contains("Free space") == (code == ENOSPC))
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
