import CSQLite
import DatabaseEngine
import Foundation
import Synchronization
import Testing

@Suite struct ConcurrencyTests {
    /// Money is moved between accounts, so every state that a reader may see has the same sum.
    @Test(arguments: Place.files) func thousandsOfReadsDuringWritesSeeWholeStates(_ place: Place)
        async throws
    {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute(
            "CREATE TABLE account(id INTEGER PRIMARY KEY, sum); INSERT INTO account VALUES (1, 500), (2, 500)"
        )
        let moves = 200
        let sums = try await withThrowingTaskGroup(of: Int64?.self) { group in
            group.addTask {
                for _ in 0..<moves {
                    try await database.execute(
                        "BEGIN IMMEDIATE; UPDATE account SET sum = sum - 1 WHERE id = 1;"
                            + "UPDATE account SET sum = sum + 1 WHERE id = 2; COMMIT")
                }
                return nil
            }
            for _ in 0..<3000 {
                group.addTask {
                    try await database.read {
                        try $0.firstRow("SELECT sum(sum) FROM account") { $0.integer(0) }
                    }
                }
            }
            var sums: [Int64] = []
            for try await sum in group { if let sum { sums.append(sum) } }
            return sums
        }
        #expect(sums.count == 3000)
        #expect(Set(sums) == [1000])
        #expect(try await database.value("SELECT sum FROM account WHERE id = 2") == .integer(500 + 200))
        try await database.close()
    }

    @Test(arguments: Place.allCases) func closuresAreNotInterleaved(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute("CREATE TABLE counter(n); INSERT INTO counter VALUES (0)")
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    try await database.withConnection { connection in
                        let count = try connection.firstRow("SELECT n FROM counter") { $0.integer(0) } ?? 0
                        try connection.execute("UPDATE counter SET n = \(count + 1)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.value("SELECT n FROM counter") == 100)
        try await database.close()
    }

    @Test(arguments: Place.files) func twoConnectionsTakeTurns(_ place: Place) async throws {
        let site = try Site(place)
        let first = try await site.open { $0.busyTimeout = .seconds(60) }
        let second = try await site.open { $0.busyTimeout = .seconds(60) }
        try await first.execute("CREATE TABLE t(a)")
        try await withThrowingTaskGroup { group in
            for database in [first, second] {
                group.addTask {
                    for number in 0..<50 {
                        try await database.execute(
                            "BEGIN IMMEDIATE; INSERT INTO t VALUES (\(number)); COMMIT")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await first.value("SELECT count(*) FROM t") == 100)
        try await first.close()
        try await second.close()
    }

    @Test(arguments: Place.memory) func aTaskCancelledWhileWaitingDoesNothing(_ place: Place)
        async throws
    {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute("CREATE TABLE t(a)")
        let (entered, goOn) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let holder = Task {
            try await database.withConnection { _ in
                entered.continuation.finish()
                goOn.wait()
            }
        }
        for await _ in entered.stream {}
        let waiting = Task { try await database.execute("INSERT INTO t VALUES (1)") }
        waiting.cancel()
        goOn.signal()
        try await holder.value
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(try await database.value("SELECT count(*) FROM t") == 0)
        try await database.close()
    }

    /// Runs many statements that take almost no time each, so that only a check between them can stop the
    /// closure.
    @Test(arguments: Place.allCases) func manyShortStatementsAreStopped(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute("CREATE TABLE t(a)")
        let entered = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await database.withConnection { connection in
                try connection.execute("BEGIN")
                entered.continuation.finish()
                while true { try connection.execute("INSERT INTO t VALUES (1)") }
            }
        }
        for await _ in entered.stream {}
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(try await database.value("SELECT count(*) FROM t") == 0)
        try await database.close()
    }

    /// A database that is not closed but freed gives up its file.
    @Test(arguments: Place.files) func aFreedDatabaseIsClosed(_ place: Place) async throws {
        let site = try Site(place)
        try await site.open().execute("CREATE TABLE t(a)")
        let other = try site.bystander()
        // Exclusive access is possible only if no connection has the file open in WAL mode.
        try other.execute(
            "PRAGMA busy_timeout = 60000; PRAGMA locking_mode = EXCLUSIVE; INSERT INTO t VALUES (1)")
        #expect(try other.text("SELECT count(*) FROM t") == "1")
    }
}
