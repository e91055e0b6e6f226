import DatabaseEngine
import Foundation
import GRDBEngine
import NIOEngine
import OverlayVFS
import Synchronization
import Testing

@testable import DrydockState

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
                (0..<row.columnCount).map { "\(row.value($0))" }
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
                _ = try connection.prepare(insert)
                try connection.execute("ROLLBACK TO s; RELEASE s")
                #expect(throws: EngineError.self) { try connection.prepare(insert) }
            }
            try await pool.giveBack(lease)
        }
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
