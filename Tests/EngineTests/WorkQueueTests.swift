import DatabaseEngine
import Foundation
import Synchronization
import Testing

/// On a work queue an engine may run a closure on its caller's thread. Nothing else changes.
@Suite struct WorkQueueTests {
    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await Task(executorPreference: WorkQueue(), operation: body).value
    }

    @Test func `a task stays on its queue`() async throws {
        #expect(!WorkQueue.isCurrent)
        let seen = try await onQueue {
            let before = WorkQueue.isCurrent
            try await Task.sleep(for: .milliseconds(1))
            let elsewhere = await Task { WorkQueue.isCurrent }.value
            return [before, elsewhere, WorkQueue.isCurrent]
        }
        #expect(seen == [true, false, true])
    }

    @Test(arguments: Place.allCases) func `a database is used and closed`(_ place: Place) async throws {
        let site = try Site(place)
        let count = try await onQueue {
            let database = try await site.open()
            try await database.apply(
                EngineMigration(identifier: "a") { try $0.execute("CREATE TABLE t(a)") })
            try await database.withConnection { try $0.execute("INSERT INTO t VALUES (1)") }
            await #expect(throws: EngineError.self) {
                try await database.withConnection { try $0.execute("BEGIN; INSERT INTO t VALUES (2)") }
            }
            let count = try await database.read { connection in
                try connection.firstRow("SELECT count(*) FROM t") { $0.integer(0) }
            }
            try await database.close()
            await #expect(throws: EngineError.self) { try await database.execute("SELECT 1") }
            return count
        }
        #expect(count == 1)
    }

    @Test(
        arguments: Place.allCases,
        ["SELECT 1", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"])
    func `a task that is cancelled stops`(_ place: Place, _ sql: String) async throws {
        let site = try Site(place)
        let database = try await site.open()
        let entered = AsyncStream.makeStream(of: Void.self)
        let task = Task(executorPreference: WorkQueue()) {
            try await database.withConnection { connection in
                try connection.execute("CREATE TABLE t(a); BEGIN")
                entered.continuation.finish()
                while true { try connection.execute(sql) }
            }
        }
        for await _ in entered.stream {}
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(try await database.value("SELECT count(*) FROM t") == 0)
        try await database.close()
    }

    /// SQLite forgets an interruption that comes before the statement runs.
    @Test(.enabled(if: Place.memoryIsLimited), arguments: Place.allCases, [false, true])
    func `a task that is cancelled while its statement is compiled stops`(_ place: Place, isOnQueue: Bool)
        async throws
    {
        let site = try Site(place)
        let trigger = Trigger()
        let database = try await site.open {
            $0.memoryLimit = {
                trigger.pull()
                return .max
            }
        }
        let begun = AsyncStream.makeStream(of: Void.self)
        let task = Task(executorPreference: isOnQueue ? WorkQueue() : nil) {
            for await _ in begun.stream {}
            try await database.withConnection { connection in
                trigger.arm()
                try connection.execute(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
            }
        }
        trigger.set { task.cancel() }
        begun.continuation.finish()
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(try await database.value("SELECT count(*) FROM sqlite_schema") == 0)
        try await database.close()
    }

    /// Cancels a task when SQLite next asks for memory.
    private final class Trigger: Sendable {
        private let state = Mutex<(isArmed: Bool, action: (@Sendable () -> Void)?)>((false, nil))

        func set(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.action = action } }

        func arm() { state.withLock { $0.isArmed = true } }

        func pull() {
            let action = state.withLock { state in
                defer { state.isArmed = false }
                return state.isArmed ? state.action : nil
            }
            action?()
        }
    }

    @Test(arguments: Place.memory) func `a task that was cancelled before does nothing`(_ place: Place)
        async throws
    {
        let site = try Site(place)
        let database = try await site.open()
        let task = Task(executorPreference: WorkQueue()) {
            while !Task.isCancelled { await Task.yield() }
            try await database.execute("CREATE TABLE t(a)")
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.value("SELECT count(*) FROM sqlite_schema") == 0)
        try await database.close()
    }
}
