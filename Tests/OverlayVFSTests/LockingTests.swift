import CSQLite
import Foundation
import Testing

@testable import OverlayVFS

/// Connections of one overlay lock each other out as connections of one file do.
@Suite struct LockingTests {
    private func expectBusy(_ database: Database, _ sql: String) {
        #expect { try database.execute(sql) } throws: {
            (($0 as? SQLiteError)?.code ?? 0) & 0xFF == SQLITE_BUSY
        }
    }

    @Test func aRollbackJournalAllowsOneWriter() throws {
        let overlay = try Overlay()
        let (one, two) = (try Database(overlay), try Database(overlay))
        try one.execute("create table t(a); insert into t values (1)")
        try one.execute("begin immediate; insert into t values (2)")
        #expect(try two.value("select count(*) from t") == "1", "a reserved file can be read")
        expectBusy(two, "begin immediate")
        try two.execute("begin; select * from t")
        expectBusy(one, "commit")
        #expect(throws: SQLiteError.self, "nobody new comes in while a writer waits") {
            try Database(overlay).value("select count(*) from t")
        }
        try two.execute("commit")
        try one.execute("commit")
        #expect(try two.value("select count(*) from t") == "2")
        try one.execute("begin exclusive")
        expectBusy(two, "select * from t")
        try one.execute("rollback")
        #expect(try two.value("select count(*) from t") == "2")
    }

    @Test func readersOfALogKeepTheirState() throws {
        let overlay = try Overlay()
        let (writer, reader) = (try Database(overlay), try Database(overlay))
        try writer.execute("pragma journal_mode = wal; create table t(a); insert into t values (1)")
        try reader.execute("begin")
        #expect(try reader.value("select count(*) from t") == "1")
        try writer.execute("insert into t values (2)")
        #expect(try reader.value("select count(*) from t") == "1")
        expectBusy(reader, "insert into t values (3)")
        #expect(
            try writer.rows("pragma wal_checkpoint(truncate)").first?.first == "1", "a reader is in the way")
        try reader.execute("rollback")
        #expect(try writer.rows("pragma wal_checkpoint(truncate)") == [["0", "0", "0"]])
        try writer.execute("begin immediate")
        expectBusy(reader, "begin immediate")
        try writer.execute("rollback")
        expectBusy(writer, "pragma journal_mode = delete")
    }

    @Test func anExclusiveLockingModeKeepsOthersOut() throws {
        let overlay = try Overlay()
        let one = try Database(overlay)
        try one.execute("pragma journal_mode = wal; create table t(a)")
        let two = try Database(overlay)
        try one.execute("pragma locking_mode = exclusive; insert into t values (1)")
        // In WAL mode the exclusive lock is taken when the log is opened next.
        _ = try? two.rows("select * from t")
        let alone = try Overlay()
        let three = try Database(alone)
        try three.execute("pragma locking_mode = exclusive; create table t(a); insert into t values (1)")
        expectBusy(try Database(alone), "select * from t")
    }

    @Test(arguments: ["delete", "wal"]) func noWriteOfAThreadIsLost(mode: String) async throws {
        let overlay = try Overlay()
        try Database(overlay).execute(
            """
            pragma journal_mode = \(mode); create table t(a); create table n(total);
            insert into n values (0)
            """)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    let database = try Database(overlay)
                    sqlite3_busy_timeout(database.handle, 20_000)
                    for step in 0..<25 {
                        try database.execute(
                            """
                            begin immediate; insert into t values (\(thread * 100 + step));
                            update n set total = total + 1; commit
                            """)
                        #expect(try database.value("select count(*) = (select total from n) from t") == "1")
                    }
                }
            }
            try await group.waitForAll()
        }
        let database = try Database(overlay)
        #expect(try database.rows("select count(*), count(distinct a) from t") == [["100", "100"]])
        #expect(try database.value("pragma integrity_check") == "ok")
    }

    @Test func locksOfOneFile() {
        let locks = FileLocks()
        let holders = (1...3).map { _ in FileLocks() }
        var levels: [Int32] = [0, 0, 0]
        func raise(_ index: Int, _ level: Int32) -> Int32 {
            locks.raise(&levels[index], to: level, for: ObjectIdentifier(holders[index]))
        }
        func lower(_ index: Int, _ level: Int32) {
            locks.lower(&levels[index], to: level, for: ObjectIdentifier(holders[index]))
        }
        #expect(raise(0, SQLITE_LOCK_SHARED) == SQLITE_OK && raise(1, SQLITE_LOCK_SHARED) == SQLITE_OK)
        #expect(raise(0, SQLITE_LOCK_RESERVED) == SQLITE_OK && raise(1, SQLITE_LOCK_RESERVED) == SQLITE_BUSY)
        #expect(locks.isReserved)
        #expect(raise(0, SQLITE_LOCK_EXCLUSIVE) == SQLITE_BUSY && levels[0] == SQLITE_LOCK_PENDING)
        #expect(raise(2, SQLITE_LOCK_SHARED) == SQLITE_BUSY)
        lower(1, SQLITE_LOCK_NONE)
        #expect(raise(0, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK)
        lower(0, SQLITE_LOCK_SHARED)
        #expect(raise(1, SQLITE_LOCK_SHARED) == SQLITE_OK && !locks.isReserved)
        #expect(raise(1, SQLITE_LOCK_RESERVED) == SQLITE_OK && raise(0, SQLITE_LOCK_EXCLUSIVE) == SQLITE_BUSY)
        lower(0, SQLITE_LOCK_NONE)
        #expect(locks.isReserved, "a holder gives up only what is its own")
        #expect(raise(1, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK)
    }

    @Test func lockSlotsOfTheLogIndex() {
        let memory = SharedMemory()
        var (one, two) = (SharedMemory.Claim(), SharedMemory.Claim())
        let (lock, unlock) = (SQLITE_SHM_LOCK, SQLITE_SHM_UNLOCK)
        let (shared, exclusive) = (SQLITE_SHM_SHARED, SQLITE_SHM_EXCLUSIVE)
        let first = memory.map(region: 0, size: 32768, isExtending: true, &one)
        #expect(memory.map(region: 0, size: 32768, isExtending: false, &two).address == first.address)
        #expect(memory.map(region: 1, size: 32768, isExtending: false, &two).address == 0)
        #expect(memory.lock(from: 3, count: 1, flags: lock | shared, &one) == SQLITE_OK)
        #expect(memory.lock(from: 3, count: 1, flags: lock | shared, &two) == SQLITE_OK)
        #expect(memory.lock(from: 0, count: 8, flags: lock | exclusive, &one) == SQLITE_BUSY)
        #expect(
            memory.lock(from: 0, count: 3, flags: lock | exclusive, &one) == SQLITE_OK,
            "nothing was taken by the failure")
        #expect(memory.lock(from: 2, count: 1, flags: lock | shared, &two) == SQLITE_BUSY)
        #expect(memory.lock(from: 3, count: 1, flags: unlock | shared, &two) == SQLITE_OK)
        #expect(memory.lock(from: 3, count: 1, flags: lock | exclusive, &one) == SQLITE_OK)
        memory.detach(&one)
        #expect(memory.lock(from: 0, count: 8, flags: lock | exclusive, &two) == SQLITE_OK)
        #expect(memory.lock(from: 5, count: 4, flags: lock | exclusive, &two) == SQLITE_MISUSE)
        memory.detach(&two)
    }
}
