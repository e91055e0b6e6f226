import DatabaseEngine
import Foundation
import GRDBEngine
import NIOEngine
import OverlayVFS
import Synchronization
import Testing

@testable import DrydockState
@testable import DrydockTestSupport

/// A connection goes on to another database only where nothing of the last one can show.
@Suite struct ConnectionPoolTests {
    private static let schema = "CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE INDEX t_b ON t(b);"

    private static let engines: [any Engine] = [GRDBDriver(), NIODriver()]

    private func database(_ sql: String, in folder: TemporaryFolder, _ name: String) throws -> String {
        let path = folder.file(name)
        try PlainDatabase(path).execute(sql)
        return path
    }

    /// Returns whether the connection that read the first database is used for the second as well.
    private func isUsedAgain(
        _ first: String, _ second: String, _ engine: any Engine,
        _ body: @escaping @Sendable (any Connection) throws -> Void = { _ in }
    ) async throws -> Bool {
        let folder = try TemporaryFolder()
        let paths = try [database(first, in: folder, "1.db"), database(second, in: folder, "2.db")]
        let pool = ConnectionPool(engine: engine, settings: ConnectionSettings())
        let lease = try await pool.lease(Image(snapshot: paths[0])) { false }
        try await lease.database.withConnection { connection in
            // The setting is the connection's own, by which it is known again.
            try connection.execute("PRAGMA cache_size = -777")
            try body(connection)
        }
        try await pool.giveBack(lease)
        let next = try await pool.lease(Image(snapshot: paths[1])) { false }
        let plain = try PlainDatabase(paths[1]).literals("SELECT * FROM t ORDER BY a")
        let (size, rows) = try await next.database.withConnection { connection in
            let rows = try connection.rows("SELECT * FROM t ORDER BY a") { row in
                (0..<row.columnCount).map { row.value($0).literal }
            }
            return (try connection.firstRow("PRAGMA cache_size") { $0.integer(0) }, rows)
        }
        #expect(rows == plain)
        try await pool.giveBack(next)
        await pool.close()
        return size == -777
    }

    @Test(arguments: engines) func theSameSchemaShares(_ engine: any Engine) async throws {
        #expect(
            try await isUsedAgain(
                Self.schema + "INSERT INTO t VALUES (1, 'x')",
                Self.schema + "INSERT INTO t VALUES (1, 'y'), (2, 3)", engine)
        )
    }

    @Test(
        arguments: [
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE INDEX t_b ON t(b DESC);",
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b ); CREATE INDEX t_b ON t(b);",
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE INDEX t_b ON t(b); CREATE VIEW v AS SELECT 1;",
            "PRAGMA page_size = 8192;" + schema, "PRAGMA encoding = 'UTF-16be';" + schema,
            "PRAGMA auto_vacuum = 1;" + schema, "PRAGMA journal_mode = wal;" + schema,
            // The same text on other pages, or under another cookie.
            "CREATE TABLE x(a);" + schema + "DROP TABLE x;",
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE TABLE x(a); CREATE INDEX t_b ON t(b); DROP TABLE x;",
        ], engines)
    func anotherSchemaDoesNot(_ other: String, _ engine: any Engine) async throws {
        #expect(try await !isUsedAgain(Self.schema, other, engine))
        #expect(try await !isUsedAgain(other, Self.schema, engine))
    }

    @Test(
        arguments: [
            "CREATE TEMP TABLE t(a)", "CREATE TABLE more(a)", "CREATE TABLE more(a); DROP TABLE more",
            "CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END", "PRAGMA journal_mode = wal",
        ], engines)
    func aConnectionThatChangedTheSchemaDoesNot(_ sql: String, _ engine: any Engine) async throws {
        #expect(try await !isUsedAgain(Self.schema, Self.schema, engine) { try $0.execute(sql) })
    }

    @Test(
        arguments: [
            "INSERT INTO t VALUES (9, 9)", "PRAGMA user_version = 3",
            "DELETE FROM t; INSERT INTO t VALUES (1, 'z')",
        ], engines)
    func whatItWroteIsGone(_ sql: String, _ engine: any Engine) async throws {
        let other = Self.schema + "INSERT INTO t VALUES (1, 'y'), (2, 3)"
        #expect(try await isUsedAgain(Self.schema, other, engine) { try $0.execute(sql) })
    }

    /// R-tree tables keep the depth of their tree, and other modules nobody knows what.
    @Test(arguments: engines) func unknownModulesDoNotShare(_ engine: any Engine) async throws {
        let tree = Self.schema + "CREATE VIRTUAL TABLE r USING rtree(id, x, y);"
        #expect(try await !isUsedAgain(tree, tree, engine))
        let text = Self.schema + "CREATE VIRTUAL TABLE f USING fts5(x);"
        #expect(try await isUsedAgain(text, text, engine))
        // The connection has read the settings of the index.
        #expect(try await !isUsedAgain(text, text + "INSERT INTO f(f, rank) VALUES ('pgsz', 100);", engine))
    }

    /// To prepare a statement is to find out whether it compiles, with the triggers that there are.
    @Test(arguments: engines) func whatCompiledUnderAnotherSchemaIsCompiledAgain(
        _ engine: any Engine
    ) async throws {
        let folder = try TemporaryFolder()
        let broken =
            Self.schema + "CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO nowhere VALUES (1); END;"
        let paths = try [database(broken, in: folder, "1.db"), database(broken, in: folder, "2.db")]
        let pool = ConnectionPool(engine: engine, settings: ConnectionSettings())
        let insert = "INSERT INTO main.t(a) VALUES (NULL)"
        for path in paths {
            let lease = try await pool.lease(Image(snapshot: path)) { false }
            try await lease.database.withConnection { connection in
                #expect(throws: EngineError.self) { try connection.prepare(insert) }
                try connection.execute("SAVEPOINT s; DROP TRIGGER g")
                let held = try connection.prepare(insert)
                _ = try connection.prepare(insert)
                try connection.execute("ROLLBACK TO s; RELEASE s")
                #expect(throws: EngineError.self) { try connection.prepare(insert) }
                withExtendedLifetime(held) {}
            }
            try await pool.giveBack(lease)
        }
        await pool.close()
    }

    // MARK: - With an attached database

    /// What a connection to two databases shows, and whether it is one that another pair used.
    private struct Shown: Equatable {
        var isUsedAgain: Bool
        var main: [Int64]
        var attached: [Int64]
    }

    private func shown(
        _ pool: ConnectionPool, _ main: String, _ later: String,
        _ body: @escaping @Sendable (any Connection) throws -> Void = { _ in }
    ) async throws -> Shown? {
        let lease = try await pool.sharedLease(
            LaidOutImage(Image(snapshot: main)), attaching: LaidOutImage(Image(snapshot: later)), as: "later"
        ) { false }
        guard let lease else { return nil }
        let shown = try await lease.database.withConnection { connection in
            let size = try connection.firstRow("PRAGMA cache_size") { $0.integer(0) }
            try connection.execute("PRAGMA cache_size = -777")
            let rows = try ["main", "later"].map { schema in
                try connection.rows("SELECT a FROM \(schema).t ORDER BY a") { $0.integer(0) }
            }
            try body(connection)
            return Shown(isUsedAgain: size == -777, main: rows[0], attached: rows[1])
        }
        try await pool.giveBack(lease)
        return shown
    }

    @Test(arguments: engines) func aPairGoesOnToTheNextPair(_ engine: any Engine) async throws {
        let folder = try TemporaryFolder()
        let old = try (1...4).map {
            try database(Self.schema + "INSERT INTO t VALUES (\($0), 1)", in: folder, "old\($0).db")
        }
        let new = try (1...4).map {
            try database(
                Self.schema + "CREATE TABLE u(c); INSERT INTO t VALUES (\($0)0, 1)", in: folder, "new\($0).db"
            )
        }
        let pool = ConnectionPool(engine: engine, settings: ConnectionSettings(), isFork: true)
        for number in 0..<4 {
            let shown = try await shown(pool, old[number], new[number]) {
                try $0.execute("INSERT INTO t VALUES (99, 9); DELETE FROM later.t")
            }
            #expect(
                shown
                    == Shown(
                        isUsedAgain: number > 0, main: [Int64(number + 1)],
                        attached: [Int64(number + 1) * 10]))
        }
        // The same schemas the other way round are another pair.
        #expect(try await shown(pool, new[0], old[0])?.isUsedAgain == false)
        for sql in ["CREATE TABLE later.more(a)", "DROP TABLE later.u", "CREATE TEMP TABLE t(a)"] {
            #expect(try await shown(pool, old[0], new[0]) { try $0.execute(sql) }?.isUsedAgain == true)
            #expect(try await shown(pool, old[0], new[0])?.isUsedAgain == false, "\(sql)")
        }
        await pool.close()
    }

    /// Statistics decide how a query runs, and with it the order of what has none.
    @Test(arguments: engines) func whatHasStatisticsGetsItsOwn(_ engine: any Engine) async throws {
        let folder = try TemporaryFolder()
        let plain = try database(Self.schema, in: folder, "plain.db")
        let analyzed = try database(
            Self.schema + "INSERT INTO t VALUES (1, 1); ANALYZE", in: folder, "analyzed.db")
        let tree = try database(
            Self.schema + "CREATE VIRTUAL TABLE r USING rtree(id, x, y);", in: folder, "tree.db")
        let pool = ConnectionPool(engine: engine, settings: ConnectionSettings())
        #expect(try await shown(pool, plain, plain) != nil)
        for other in [analyzed, tree] {
            #expect(try await shown(pool, plain, other) == nil)
            #expect(try await shown(pool, other, plain) == nil)
            #expect(try await pool.sharedLease(LaidOutImage(Image(snapshot: other))) { false } == nil)
        }
        await pool.close()
    }

    /// Connections to schemas that are not met any more make room.
    @Test func whatIsNoLongerUsedIsClosed() async throws {
        let folder = try TemporaryFolder()
        let paths = try (0..<4).map { number in
            try database(Self.schema + "CREATE TABLE u\(number)(c)", in: folder, "\(number).db")
        }
        let pool = ConnectionPool(engine: GRDBDriver(), settings: ConnectionSettings(), limit: 2)
        func isUsedAgain(_ number: Int) async throws -> Bool? {
            try await shown(pool, paths[number], paths[number])?.isUsedAgain
        }
        #expect(try await isUsedAgain(0) == false)
        #expect(try await isUsedAgain(1) == false)
        // There is no room for a third.
        #expect(try await isUsedAgain(2) == false)
        #expect(try await isUsedAgain(2) == false)
        #expect(try await isUsedAgain(0) == true)
        for _ in 0..<20 { _ = try await isUsedAgain(1) }
        _ = try await isUsedAgain(2)
        #expect(try await isUsedAgain(2) == true)
        #expect(try await isUsedAgain(1) == true)
        #expect(try await isUsedAgain(0) == false)
        await pool.close()
    }

    private final class Stop: Sendable {
        let isOn = Atomic(false)
    }

    @Test(arguments: engines) func theInterruptIsThatOfTheLease(_ engine: any Engine) async throws {
        let folder = try TemporaryFolder()
        let path = try database(Self.schema + "INSERT INTO t VALUES (1, 1)", in: folder, "1.db")
        let pool = ConnectionPool(engine: engine, settings: ConnectionSettings())
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        for _ in 0..<2 {
            let stop = Stop()
            let stopped = try await pool.lease(Image(snapshot: path)) { stop.isOn.load(ordering: .relaxed) }
            stop.isOn.store(true, ordering: .relaxed)
            await #expect(throws: EngineError.self) {
                try await stopped.database.withConnection { try $0.rows(endless) { _ in } }
            }
            stop.isOn.store(false, ordering: .relaxed)
            try await pool.giveBack(stopped)
            stop.isOn.store(true, ordering: .relaxed)
            let lease = try await pool.lease(Image(snapshot: path)) { false }
            let rows = try await lease.database.withConnection {
                try $0.rows("SELECT a FROM t") { $0.integer(0) }
            }
            #expect(rows == [1])
            try await pool.giveBack(lease)
        }
        await pool.close()
    }
}
